# cmake --install BUILD [--prefix PREFIX]: the program and its shim, the unit of systemd with the
# paths of the prefix in it, the pages, those of man, completion for shells and an example configuration.
# See packaging/README.md.
include(GNUInstallDirs)

install(TARGETS jettison jettison-shim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# The prefix may be chosen as late as at installation, so the unit is written then.
install(CODE "
  set(JETTISON_BIN \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(JETTISON_DOCS \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  configure_file(\"${CMAKE_SOURCE_DIR}/packaging/jettison.service.in\"
                 \"${CMAKE_BINARY_DIR}/jettison.service\" @ONLY)
")
install(FILES ${CMAKE_BINARY_DIR}/jettison.service DESTINATION lib/systemd/system)

# The program's own --help is in the pages of man, so they are written once it is built.
install(CODE "
  execute_process(COMMAND \"${JETTISON_PYTHON}\" \"${CMAKE_SOURCE_DIR}/man/pages.py\"
                          \"$<TARGET_FILE:jettison>\" \"${CMAKE_BINARY_DIR}/man\"
                  COMMAND_ERROR_IS_FATAL ANY)
")
install(FILES ${CMAKE_BINARY_DIR}/man/jettison.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/man/jettison.yaml.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${CMAKE_BINARY_DIR}/man/jettison.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)

# Where the shells look, by their own conventions.
set(completions ${CMAKE_SOURCE_DIR}/packaging/completions)
install(FILES ${completions}/jettison.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME jettison)
install(FILES ${completions}/_jettison DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${completions}/jettison.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Their links are those of the folder that they are installed in.
install(CODE "
  file(REMOVE_RECURSE \"${CMAKE_BINARY_DIR}/pages\")
  execute_process(COMMAND \"${JETTISON_PYTHON}\" \"${CMAKE_SOURCE_DIR}/packaging/pages.py\"
                          \"\${CMAKE_INSTALL_PREFIX}\" \"${CMAKE_BINARY_DIR}/pages\"
                  COMMAND_ERROR_IS_FATAL ANY)
")
install(DIRECTORY ${CMAKE_BINARY_DIR}/pages/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/packaging/jettison.yaml
              ${CMAKE_SOURCE_DIR}/packaging/runs-pods.conf ${CMAKE_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
