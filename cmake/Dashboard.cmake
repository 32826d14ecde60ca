# The dashboard, and the page of reports: one HTML file each, made by dashboard/build.mjs of what lies there and of the npm packages
# named in its lock file, which are fetched into the build folder. Nothing else of the build needs node.
option(JETTISON_DASHBOARD "have the page at / (needs node and npm)" ON)

if(JETTISON_DASHBOARD)
  find_program(JETTISON_NODE node)
  find_program(JETTISON_NPM npm)
  mark_as_advanced(JETTISON_NODE JETTISON_NPM)
  if(NOT JETTISON_NODE OR NOT JETTISON_NPM)
    message(FATAL_ERROR
      "The dashboard is built with node and npm, which are not there. scripts/install-deps.sh installs "
      "them (Debian: apt-get install nodejs npm); -DJETTISON_DASHBOARD=OFF builds without the page.")
  endif()
endif()

# jettison_npm(STAMP FOLDER BUILD): fetches the packages of FOLDER's lock file into BUILD/node_modules and
# then touches STAMP.
function(jettison_npm stamp folder build)
  set(script ${CMAKE_SOURCE_DIR}/cmake/NpmPackages.cmake)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DNPM=${JETTISON_NPM} -DFOLDER=${folder} -DBUILD=${build} -P ${script}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${folder}/package-lock.json ${folder}/package.json ${folder}/.npmrc ${script}
    COMMENT "Fetching the npm packages of ${folder}"
    VERBATIM)
endfunction()

# jettison_page(KIND HTML SOURCE): makes dashboard/KIND.html in the build folder, and a C++ source that holds it, whose path SOURCE is
# set to. The packages are fetched once, by whoever comes first.
function(jettison_page kind html source)
  set(folder ${CMAKE_SOURCE_DIR}/dashboard)
  set(build ${CMAKE_BINARY_DIR}/dashboard)
  get_property(fetched GLOBAL PROPERTY JETTISON_DASHBOARD_PACKAGES)
  if(NOT fetched)
    jettison_npm(${build}/packages.stamp ${folder} ${build})
    set_property(GLOBAL PROPERTY JETTISON_DASHBOARD_PACKAGES TRUE)
  endif()
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${folder}/src/*.js ${folder}/style/*.css)
  list(FILTER inputs EXCLUDE REGEX "\\.test\\.js$")
  set(made ${build}/${kind}.cc)
  add_custom_command(
    OUTPUT ${made} BYPRODUCTS ${build}/${kind}.html ${build}/${kind}.html.policy
    COMMAND ${JETTISON_NODE} ${folder}/build.mjs ${kind} --packages ${build} --page ${build}/${kind}.html
            --source ${made}
    DEPENDS ${inputs} ${html} ${folder}/build.mjs ${build}/packages.stamp
    COMMENT "Making ${kind}.html one file"
    VERBATIM)
  set(${source} ${made} PARENT_SCOPE)
endfunction()
