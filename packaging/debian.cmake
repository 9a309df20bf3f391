# SPDX-License-Identifier: Apache-2.0
# What Debian's policy wants of a package's documents, made in the folder that CPack is about to pack.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
set(documents ${share}/doc/${CPACK_PACKAGE_NAME})
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH, where it is set
string(TIMESTAMP year "%Y" UTC)
file(WRITE ${documents}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${CPACK_PACKAGE_NAME}
Source: ${CPACK_PACKAGE_HOMEPAGE_URL}

Files: *
Copyright: ${year} ${CPACK_PACKAGE_VENDOR}
License: Apache-2.0
 On Debian systems the text of the licence is in /usr/share/common-licenses/Apache-2.0.
")
file(WRITE ${documents}/changelog
"${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; CHANGELOG.md beside this file says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(REMOVE ${documents}/LICENSE)
file(GLOB pages ${share}/man/man1/*.1 ${share}/man/man5/*.5)
execute_process(COMMAND gzip -9n ${documents}/changelog ${pages} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "gzip ended with ${status}")
endif()
