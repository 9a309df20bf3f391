# SPDX-License-Identifier: Apache-2.0
# Libraries whose archives are installed become a part of the program: a dozen fewer to be looked for, mapped and bound
# are half of what a start takes. Archives stand before the libraries themselves, which stay where they still have
# something to give: those without an archive, and the C library.
if(NOT PPROFGATE_ARCHIVES OR PPROFGATE_STATIC)
  return()
endif()
include(CheckLinkerFlag)
check_linker_flag(C -Wl,--as-needed LINKER_KNOWS_NEED)
if(NOT LINKER_KNOWS_NEED)
  return()
endif()
set(archives)
foreach(name IN ITEMS protobuf-c yaml pcre2-8 jansson deflate dw elf zstd lzma bz2 z)
  find_library(PPROFGATE_ARCHIVE_${name} NAMES lib${name}.a
    HINTS ${PROTOBUF_C_LIBRARY_DIRS} ${YAML_LIBRARY_DIRS} ${PCRE2_LIBRARY_DIRS} ${JANSSON_LIBRARY_DIRS}
          ${DEFLATE_LIBRARY_DIRS} ${DW_LIBRARY_DIRS} ${ZSTD_LIBRARY_DIRS})
  mark_as_advanced(PPROFGATE_ARCHIVE_${name})
  if(PPROFGATE_ARCHIVE_${name})
    list(APPEND archives ${PPROFGATE_ARCHIVE_${name}})
  endif()
endforeach()
target_link_options(pprofgate PRIVATE -Wl,--as-needed)
target_link_libraries(pprofgate PRIVATE gate_proto ${archives})
