# Installs BUILD below WORK, looks for what belongs to the program, then configures, builds and runs the project beside this file against it.
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

foreach(file share/man/man1/hinge.1 share/bash-completion/completions/hinge share/zsh/site-functions/_hinge
    share/fish/vendor_completions.d/hinge.fish share/doc/hinge/LICENSE)
  file(SIZE ${WORK}/prefix/${file} size)  # an error if there is none
  if(size EQUAL 0)
    message(FATAL_ERROR "${file} is empty")
  endif()
endforeach()

# What packagers set reaches the installation.
execute_process(COMMAND make -n -C ${CMAKE_CURRENT_LIST_DIR}/../.. install PREFIX=/usr DESTDIR=/staged OUTPUT_VARIABLE commands
  COMMAND_ERROR_IS_FATAL ANY)
if(NOT commands MATCHES "DESTDIR=\"/staged\" cmake --install build/release --prefix \"/usr\"")
  message(FATAL_ERROR "make install does not pass PREFIX and DESTDIR on:\n${commands}")
endif()
