# SPDX-License-Identifier: Apache-2.0
# Completes the folder that CPack is about to make an .rpm of: the licences of what is linked into the static program,
# which packaging/sbom.py gathered, and times that do not tell when it was packed.
if(NOT CPACK_GENERATOR STREQUAL "RPM")
  return()
endif()
set(licences ${CPACK_PPROFGATE_STAGE}/share/doc/${CPACK_PACKAGE_NAME}/licences)
if(EXISTS ${licences})
  file(COPY ${licences} DESTINATION ${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/${CPACK_PACKAGE_NAME})
endif()
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "touch ended with ${status}")
  endif()
endif()
