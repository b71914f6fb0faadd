# Read by cpack: the package is named for the commit that its programs write into their results.
file(STRINGS ${CPACK_PACKAGE_DIRECTORY}/common/core/bench_build_info.h revision REGEX GIT_REVISION)
string(REGEX REPLACE ".*\"(.*)\"" "\\1" revision "${revision}")
cmake_host_system_information(RESULT machine QUERY OS_PLATFORM)
set(CPACK_PACKAGE_FILE_NAME cuda-vulkan-bench-${revision}-${machine})
