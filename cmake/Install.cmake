# cmake --install BUILD [--prefix PREFIX]: the program and its shim, the unit of systemd with the
# paths of the prefix in it, the pages and an example configuration. See packaging/README.md.
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

file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md)
install(FILES ${pages} ${CMAKE_SOURCE_DIR}/packaging/jettison.yaml ${CMAKE_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/packaging/prometheus/jettison-alerts.yaml
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/prometheus)
install(FILES ${CMAKE_SOURCE_DIR}/packaging/grafana/jettison.json
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/grafana)
