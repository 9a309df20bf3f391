# SPDX-License-Identifier: Apache-2.0
# Puts the licences of what is linked into a static program, which packaging/sbom.py gathered, into the folder that
# CPack is about to pack.
set(licences ${CPACK_PPROFGATE_STAGE}/share/doc/${CPACK_PACKAGE_NAME}/licences)
if(CPACK_GENERATOR STREQUAL "RPM" AND EXISTS ${licences})
  file(COPY ${licences} DESTINATION ${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/${CPACK_PACKAGE_NAME})
endif()
