# SPDX-License-Identifier: Apache-2.0
# Component `dev`: the libraries of gate/library.cmake, their header, and what pkg-config and find_package read.

# `pkg-config --static` adds the libraries that libdw's archive needs where all are installed; Debian's libdw-dev
# does not bring libbz2. Elsewhere it adds the shared libdw.
if(PPROFGATE_DW_FOUND)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES ${PPROFGATE_DW_STATIC_LDFLAGS})
  check_c_source_compiles("int main(void) { return 0; }" PPROFGATE_HAS_LIBRARIES_OF_LIBDW)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(PPROFGATE_HAS_LIBRARIES_OF_LIBDW)
    set(PPROFGATE_PC_DW " libdw")
  else()
    list(JOIN PPROFGATE_DW_LDFLAGS " " PPROFGATE_PC_PRIVATE)
    string(PREPEND PPROFGATE_PC_PRIVATE " ")
  endif()
endif()
if(PPROFGATE_SECCOMP_FOUND)
  set(PPROFGATE_PC_SECCOMP " libseccomp")
endif()
if(PPROFGATE_IBERTY_LIBRARY)
  string(APPEND PPROFGATE_PC_PRIVATE " -liberty")
endif()
configure_file(library/pprofgate.pc.in ${PROJECT_BINARY_DIR}/pprofgate.pc @ONLY)

configure_file(library/pprofgateConfig.cmake.in ${PROJECT_BINARY_DIR}/pprofgateConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
# Functions and fields stay within a soname, which is the major version.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pprofgateConfigVersion.cmake COMPATIBILITY SameMajorVersion)

# Both libraries are pprofgate::pprofgate; the package config includes the file of one of them.
set(config_folder lib/cmake/pprofgate)
foreach(library IN LISTS libraries)
  install(TARGETS ${library} EXPORT ${library}
    LIBRARY DESTINATION lib COMPONENT dev EXCLUDE_FROM_ALL NAMELINK_COMPONENT dev
    ARCHIVE DESTINATION lib COMPONENT dev EXCLUDE_FROM_ALL)
  install(EXPORT ${library} FILE ${library}.cmake NAMESPACE pprofgate:: DESTINATION ${config_folder} COMPONENT dev
    EXCLUDE_FROM_ALL)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/pprofgateConfig.cmake ${PROJECT_BINARY_DIR}/pprofgateConfigVersion.cmake
  DESTINATION ${config_folder} COMPONENT dev EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/include/pprofgate.h DESTINATION include COMPONENT dev EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_BINARY_DIR}/pprofgate.pc DESTINATION lib/pkgconfig COMPONENT dev EXCLUDE_FROM_ALL)
