# Device programs are built where a CUDA compiler is found and this project is the top one. Users of the headers need
# none of it: they compile cuda.cuh with their own compiler and flags.
include(CheckLanguage)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING)
    check_language(CUDA)
endif()
if(CMAKE_CUDA_COMPILER)
    option(POLYROPE_CUDA "Build the device programs" ${PROJECT_IS_TOP_LEVEL})
else()
    option(POLYROPE_CUDA "Build the device programs" OFF)
endif()
if(POLYROPE_CUDA)
    # Any device can run it, translated when it starts. For a measurement, name the device: 90a, 100, 120.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
endif()
