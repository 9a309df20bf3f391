# SPDX-License-Identifier: Apache-2.0
# Link archives into the program where the machine has them: it then starts in two thirds of the time, since the loader
# has a dozen libraries fewer to find, map and bind. Keep the shared library where an archive cannot be linked.
if(NOT PPROFGATE_ARCHIVES OR PPROFGATE_STATIC)
  return()
endif()
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
check_linker_flag(C -Wl,--as-needed PPROFGATE_LINKER_KNOWS_NEED)
if(NOT PPROFGATE_LINKER_KNOWS_NEED)
  return()
endif()

# Each item is one archive, or several that must be linked together: libdw hands objects of libelf to the program, so
# both need the same copy. `optional` archives are used by that item alone.
set(items z zstd deflate protobuf-c yaml pcre2-8 jansson seccomp dw,elf)
set(optional_of_dw,elf lzma bz2)
set(hints ${PPROFGATE_PROTOBUF_C_LIBRARY_DIRS} ${PPROFGATE_YAML_LIBRARY_DIRS} ${PPROFGATE_PCRE2_LIBRARY_DIRS}
  ${PPROFGATE_JANSSON_LIBRARY_DIRS} ${PPROFGATE_DEFLATE_LIBRARY_DIRS} ${PPROFGATE_DW_LIBRARY_DIRS}
  ${PPROFGATE_ZSTD_LIBRARY_DIRS} ${PPROFGATE_SECCOMP_LIBRARY_DIRS})
set(archives)
set(stay_shared)
foreach(item IN LISTS items)
  string(REPLACE "," ";" names ${item})
  set(needed)
  set(optional)
  foreach(name IN LISTS names optional_of_${item})
    find_library(PPROFGATE_ARCHIVE_${name} NAMES lib${name}.a HINTS ${hints})
    mark_as_advanced(PPROFGATE_ARCHIVE_${name})
    if(name IN_LIST names)
      list(APPEND needed ${PPROFGATE_ARCHIVE_${name}})
    elseif(PPROFGATE_ARCHIVE_${name})
      list(APPEND optional ${PPROFGATE_ARCHIVE_${name}})
    endif()
  endforeach()

  # Link every object of the archive, not only those that the program uses today. An archive may refer to a library
  # whose development package is not installed: on Debian 12 libdw.a refers to libbz2, on Debian 13 to libeu.
  string(MAKE_C_IDENTIFIER "PPROFGATE_CAN_LINK_${item}" can_link)
  if(NOT "${needed}" MATCHES "NOTFOUND")
    set(CMAKE_REQUIRED_LIBRARIES -Wl,--whole-archive ${needed} -Wl,--no-whole-archive ${optional} ${archives}
      ZLIB::ZLIB PkgConfig::PPROFGATE_ZSTD Threads::Threads m ${CMAKE_DL_LIBS})
    check_c_source_compiles("int main(void) { return 0; }" ${can_link})
    unset(CMAKE_REQUIRED_LIBRARIES)
  endif()
  if(${can_link})
    list(PREPEND archives ${needed} ${optional})
  else()
    list(APPEND stay_shared ${names})
  endif()
endforeach()
if(stay_shared)
  list(JOIN stay_shared ", lib" stay_shared)
  message(STATUS "linked as shared libraries, since no archive can be linked: lib${stay_shared}")
endif()

# Archives come before the libraries that `gate` brings, of which --as-needed keeps those that are still referred to.
target_link_options(pprofgate PRIVATE -Wl,--as-needed)
target_link_libraries(pprofgate PRIVATE gate_proto ${archives})
