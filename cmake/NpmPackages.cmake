# cmake -DNPM=... -DFOLDER=... -DBUILD=... -P NpmPackages.cmake: fetches the packages of FOLDER's lock
# file into BUILD/node_modules. Their install scripts do not run.
file(MAKE_DIRECTORY ${BUILD})
foreach(name package.json package-lock.json .npmrc)
  file(COPY_FILE ${FOLDER}/${name} ${BUILD}/${name})
endforeach()
execute_process(
  COMMAND ${NPM} ci --ignore-scripts --prefer-offline --no-progress --loglevel=error
  WORKING_DIRECTORY ${BUILD} OUTPUT_QUIET RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR
    "The npm packages of ${FOLDER}/package-lock.json cannot be fetched; npm says why above. Without "
    "them: cmake -DJETTISON_DASHBOARD=OFF, which leaves out the dashboard and its tests.")
endif()
