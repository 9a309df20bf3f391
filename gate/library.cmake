# SPDX-License-Identifier: Apache-2.0
# libpprofgate: include/pprofgate.h on top of the program's own objects, without those that speak HTTP. Installed by
# `cmake --install BUILD --component dev`. docs/library.md shows how another project uses it.
# A build without tests leaves it out by default. Inside another project it is built by default.
set(library_is_built ${PPROFGATE_TESTS})
if(NOT PROJECT_IS_TOP_LEVEL)
  set(library_is_built ON)
endif()
option(PPROFGATE_LIBRARY "Build libpprofgate" ${library_is_built})
if(NOT PPROFGATE_LIBRARY)
  return()
endif()
set_target_properties(gate gate_proto PROPERTIES POSITION_INDEPENDENT_CODE ON)
set(map ${CMAKE_CURRENT_SOURCE_DIR}/library/exports.map)
# Files, not imported targets: those are not visible in the folder of a project that has this one inside.
set(library_needs ${PPROFGATE_PROTOBUF_C_LINK_LIBRARIES} ${ZLIB_LIBRARIES} ${PPROFGATE_YAML_LINK_LIBRARIES}
  ${PPROFGATE_PCRE2_LINK_LIBRARIES} ${PPROFGATE_ZSTD_LINK_LIBRARIES} ${PPROFGATE_XXHASH_LINK_LIBRARIES}
  ${PPROFGATE_JANSSON_LINK_LIBRARIES} ${PPROFGATE_DEFLATE_LINK_LIBRARIES} ${CMAKE_THREAD_LIBS_INIT} m)
if(PPROFGATE_DW_FOUND)
  list(APPEND library_needs ${PPROFGATE_DW_LINK_LIBRARIES})
endif()
if(PPROFGATE_IBERTY_LIBRARY)
  list(APPEND library_needs ${PPROFGATE_IBERTY_LIBRARY})
endif()

if(PPROFGATE_SECCOMP_FOUND)
  list(APPEND library_needs ${PPROFGATE_SECCOMP_LINK_LIBRARIES})
endif()

add_library(gate_exported OBJECT library/exported.c)
set_target_properties(gate_exported PROPERTIES POSITION_INDEPENDENT_CODE ON)
# The libraries bring the folders of their headers; nothing is linked into an object.
target_link_libraries(gate_exported PRIVATE gate_flags ZLIB::ZLIB PkgConfig::PPROFGATE_YAML PkgConfig::PPROFGATE_PCRE2
  PkgConfig::PPROFGATE_ZSTD PkgConfig::PPROFGATE_XXHASH PkgConfig::PPROFGATE_JANSSON PkgConfig::PPROFGATE_DEFLATE)
target_compile_definitions(gate_exported PRIVATE $<TARGET_PROPERTY:gate,INTERFACE_COMPILE_DEFINITIONS>)

# Left out: members that nothing of the library needs, which are commands and everything that uses HTTP.
add_library(pprofgate_archive STATIC $<TARGET_OBJECTS:gate_exported> $<TARGET_OBJECTS:gate_proto>
  "$<FILTER:$<TARGET_OBJECTS:gate>,EXCLUDE,/gate[.]dir/(capture/(http|libcurl)[.]c|cli/|help/)>")
target_link_libraries(pprofgate_archive INTERFACE "$<BUILD_INTERFACE:${library_needs}>")
set_target_properties(pprofgate_archive PROPERTIES OUTPUT_NAME pprofgate LINKER_LANGUAGE C)
set(libraries pprofgate_archive)
set(default_library pprofgate_archive)

if(BUILD_SHARED_LIBS OR NOT PPROFGATE_STATIC)
  add_library(pprofgate_shared SHARED $<TARGET_OBJECTS:gate_exported>)
  target_link_libraries(pprofgate_shared PRIVATE pprofgate_archive gate_flags)
  target_link_options(pprofgate_shared PRIVATE -Wl,--version-script=${map} -Wl,--as-needed)
  if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize") # whose symbols are in the program
    target_link_options(pprofgate_shared PRIVATE -Wl,--no-undefined)
  endif()
  set_target_properties(pprofgate_shared PROPERTIES OUTPUT_NAME pprofgate VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${map} LINKER_LANGUAGE C)
  list(APPEND libraries pprofgate_shared)
  # As in the package config: shared unless the user sets BUILD_SHARED_LIBS to OFF.
  if(BUILD_SHARED_LIBS OR NOT DEFINED BUILD_SHARED_LIBS)
    set(default_library pprofgate_shared)
  endif()
endif()

foreach(library IN LISTS libraries)
  set_target_properties(${library} PROPERTIES EXPORT_NAME pprofgate)
  target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include>)
endforeach()
add_library(pprofgate::pprofgate ALIAS ${default_library})
if(PPROFGATE_INSTALL)
  include(${CMAKE_CURRENT_SOURCE_DIR}/library/install.cmake)
endif()
