# SPDX-License-Identifier: Apache-2.0
# What a binary that users run is built with: hardening, and no path of the machine that built it. Debug builds keep
# their paths, which debuggers and coverage look for.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckPIESupported)

if(NOT PPROFGATE_SYSTEM STREQUAL wasi)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
# A static program is linked with -static-pie, which -pie would undo.
if(NOT PPROFGATE_STATIC)
  check_pie_supported(OUTPUT_VARIABLE pie_answer LANGUAGES C)
endif()

add_library(gate_release INTERFACE)
# A project that has this one inside may have no build type, and then no optimisation.
set(optimised $<NOT:$<OR:$<CONFIG:Debug>,$<CONFIG:>>>)
foreach(root IN ITEMS ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  target_compile_options(gate_release INTERFACE $<${optimised}:-ffile-prefix-map=${root}/=>)
endforeach()

# Sanitizers bring checks of their own, and FORTIFY hides calls from them.
if(PPROFGATE_HARDEN AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
  set(flags -fstack-protector-strong)
  if(PPROFGATE_SYSTEM STREQUAL linux)
    list(APPEND flags -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
  endif()
  foreach(flag IN LISTS flags)
    string(MAKE_C_IDENTIFIER "PPROFGATE_HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
      target_compile_options(gate_release INTERFACE $<${optimised}:${flag}>)
    endif()
  endforeach()
  # Level 3 is known to compilers that have __builtin_dynamic_object_size; distributions may have set another.
  set(CMAKE_REQUIRED_FLAGS -Werror)
  check_c_source_compiles("int main(int n, char **v) { return __builtin_dynamic_object_size(v, 0) == 0 && n; }"
    PPROFGATE_HAS_DYNAMIC_OBJECT_SIZE)
  unset(CMAKE_REQUIRED_FLAGS)
  set(fortify 2)
  if(PPROFGATE_HAS_DYNAMIC_OBJECT_SIZE)
    set(fortify 3)
  endif()
  target_compile_options(gate_release INTERFACE
    $<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=${fortify}>)
  if(PPROFGATE_SYSTEM STREQUAL linux)
    target_link_options(gate_release INTERFACE $<${optimised}:-Wl,-z,relro,-z,now,-z,noexecstack>)
  endif()
  # A shadow stack asks nothing of a library that was built without; its mark on the program would else be lost with it.
  include(CheckLinkerFlag)
  if(PPROFGATE_HAS_fcf_protection_full)
    check_linker_flag(C "-Wl,-z,shstk" PPROFGATE_HAS_SHADOW_STACK)
  endif()
  if(PPROFGATE_HAS_SHADOW_STACK)
    target_link_options(gate_release INTERFACE $<${optimised}:-Wl,-z,shstk>)
  endif()
endif()

if(PPROFGATE_STATIC)
  target_link_options(gate_release INTERFACE -static-pie)
endif()
target_link_libraries(gate_flags INTERFACE gate_release)
