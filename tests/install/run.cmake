# Installs BUILD below WORK, then configures, builds and runs the project beside this file against it.
# Called with -DBUILD=… -DWORK=… -DCOMPILER=… -DFLAGS=….
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS} -O0")
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/outside)
run(${WORK}/prefix/bin/hinge --version)
