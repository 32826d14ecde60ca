# cmake --install BUILD [--prefix PREFIX]: the program and its shim, the unit of systemd with the
# paths of the prefix in it, the pages, those of man, completion for shells and an example configuration.
# All of it is the component `program`; the library is another (Library.cmake). See packaging/README.md.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

install(TARGETS jettison jettison-shim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# The prefix may be chosen as late as at installation, and the program's own --help is in the pages of man. So the
# unit and the pages are written then, into a folder that goes with the installation: `sudo make install` leaves
# nothing of root's in the build folder.
install(CODE "
  execute_process(COMMAND mktemp -d OUTPUT_VARIABLE made OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(JETTISON_BIN \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(JETTISON_DOCS \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  configure_file(\"${CMAKE_SOURCE_DIR}/packaging/jettison.service.in\" \"\${made}/jettison.service\" @ONLY)
  execute_process(COMMAND \"${JETTISON_PYTHON}\" \"${CMAKE_SOURCE_DIR}/man/pages.py\"
                          \"$<TARGET_FILE:jettison>\" \"\${made}/man\"
                  COMMAND_ERROR_IS_FATAL ANY)
  # Their links are those of the folder that they are installed in.
  execute_process(COMMAND \"${JETTISON_PYTHON}\" \"${CMAKE_SOURCE_DIR}/packaging/pages.py\"
                          \"\${CMAKE_INSTALL_PREFIX}\" \"\${made}/pages\"
                  COMMAND_ERROR_IS_FATAL ANY)
  file(INSTALL \"\${made}/jettison.service\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\")
  foreach(page jettison.1 jettison.yaml.5 jettison.8)
    string(REGEX REPLACE \".*[.]\" \"\" section \${page})
    file(INSTALL \"\${made}/man/\${page}\"
         DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man\${section}\")
  endforeach()
  file(INSTALL \"\${made}/pages/\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  file(REMOVE_RECURSE \"\${made}\")
")

# Where the shells look, by their own conventions.
set(completions ${CMAKE_SOURCE_DIR}/packaging/completions)
install(FILES ${completions}/jettison.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME jettison)
install(FILES ${completions}/_jettison DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${completions}/jettison.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(FILES ${CMAKE_SOURCE_DIR}/packaging/jettison.yaml ${CMAKE_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Not among the pages: it must be there where a host leaves pages out.
install(FILES ${CMAKE_SOURCE_DIR}/packaging/runs-pods.conf DESTINATION lib/jettison)
