# SPDX-License-Identifier: Apache-2.0
# Manual pages and completions, which the program writes itself. A build for another machine takes
# PPROFGATE_HOST_PROGRAM, a pprofgate of the same version that runs here; without one it goes without them.
set(PPROFGATE_HOST_PROGRAM "" CACHE FILEPATH "A pprofgate that runs on this machine, for pages of a cross build")
set(pages ${PROJECT_BINARY_DIR}/pages)
if(PPROFGATE_HOST_PROGRAM)
  set(page_writer ${PPROFGATE_HOST_PROGRAM})
elseif(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  set(page_writer pprofgate)
endif()
if(page_writer)
  file(MAKE_DIRECTORY ${pages}/man ${pages}/bash ${pages}/zsh ${pages}/fish)
  add_custom_command(
    OUTPUT ${pages}/man/pprofgate.1 ${pages}/bash/pprofgate ${pages}/zsh/_pprofgate ${pages}/fish/pprofgate.fish
    COMMAND ${page_writer} manual -o ${pages}/man
    COMMAND ${page_writer} completion bash > ${pages}/bash/pprofgate
    COMMAND ${page_writer} completion zsh > ${pages}/zsh/_pprofgate
    COMMAND ${page_writer} completion fish > ${pages}/fish/pprofgate.fish
    DEPENDS ${page_writer}
    VERBATIM)
  add_custom_target(pprofgate_pages ALL DEPENDS ${pages}/man/pprofgate.1)
  install(DIRECTORY ${pages}/man/ DESTINATION share/man/man1 FILES_MATCHING PATTERN "*.1")
  install(DIRECTORY ${pages}/man/ DESTINATION share/man/man5 FILES_MATCHING PATTERN "*.5")
  install(FILES ${pages}/bash/pprofgate DESTINATION share/bash-completion/completions)
  install(FILES ${pages}/zsh/_pprofgate DESTINATION share/zsh/site-functions)
  install(FILES ${pages}/fish/pprofgate.fish DESTINATION share/fish/vendor_completions.d)
else()
  message(STATUS "a cross build without PPROFGATE_HOST_PROGRAM: no manual pages and no completions")
endif()
