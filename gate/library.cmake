# SPDX-License-Identifier: Apache-2.0
# libpprofgate: include/pprofgate.h on top of the program's own objects, without those that speak HTTP. Installed by
# `cmake --install BUILD --component dev`. A build without tests goes without it, unless it asks.
option(PPROFGATE_LIBRARY "Build libpprofgate" ${PPROFGATE_TESTS})
if(PPROFGATE_LIBRARY)
  set_target_properties(gate gate_proto PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set(library_needs gate_flags Threads::Threads PkgConfig::PROTOBUF_C ZLIB::ZLIB PkgConfig::YAML PkgConfig::PCRE2
    PkgConfig::ZSTD PkgConfig::XXHASH PkgConfig::JANSSON PkgConfig::DEFLATE m
    $<$<BOOL:${DW_FOUND}>:PkgConfig::DW> $<$<BOOL:${IBERTY_LIBRARY}>:${IBERTY_LIBRARY}>)
  set(map ${CMAKE_CURRENT_SOURCE_DIR}/library/exports.map)

  add_library(gate_exported OBJECT library/exported.c)
  set_target_properties(gate_exported PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(gate_exported PRIVATE gate_flags)
  target_compile_definitions(gate_exported PRIVATE GATE_VERSION="${PROJECT_VERSION}")

  # Members that nothing of the library needs: commands, and all that asks over HTTP.
  add_library(pprofgate_archive STATIC $<TARGET_OBJECTS:gate_exported> $<TARGET_OBJECTS:gate_proto>
    "$<FILTER:$<TARGET_OBJECTS:gate>,EXCLUDE,/capture/(fetch|libcurl|transfer)[.]c|/cli/(cmd_|command_table|run[.])>")
  set_target_properties(pprofgate_archive PROPERTIES OUTPUT_NAME pprofgate LINKER_LANGUAGE C)
  set(libraries pprofgate_archive)

  if(BUILD_SHARED_LIBS OR NOT PPROFGATE_STATIC)
    add_library(pprofgate_shared SHARED $<TARGET_OBJECTS:gate_exported>)
    target_link_libraries(pprofgate_shared PRIVATE pprofgate_archive ${library_needs})
    target_link_options(pprofgate_shared PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined -Wl,--as-needed)
    set_target_properties(pprofgate_shared PROPERTIES OUTPUT_NAME pprofgate VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${map} LINKER_LANGUAGE C)
    list(APPEND libraries pprofgate_shared)
  endif()

  if(DW_FOUND)
    set(PPROFGATE_PC_DW " libdw")
  endif()
  if(IBERTY_LIBRARY)
    set(PPROFGATE_PC_IBERTY " -liberty")
  endif()
  configure_file(library/pprofgate.pc.in ${PROJECT_BINARY_DIR}/pprofgate.pc @ONLY)
  install(TARGETS ${libraries} LIBRARY DESTINATION lib COMPONENT dev EXCLUDE_FROM_ALL NAMELINK_COMPONENT dev
    ARCHIVE DESTINATION lib COMPONENT dev EXCLUDE_FROM_ALL)
  install(FILES ${PROJECT_SOURCE_DIR}/include/pprofgate.h DESTINATION include COMPONENT dev EXCLUDE_FROM_ALL)
  install(FILES ${PROJECT_BINARY_DIR}/pprofgate.pc DESTINATION lib/pkgconfig COMPONENT dev EXCLUDE_FROM_ALL)
endif()
