#pragma once
// A device to run on, and memory there.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace polyrope::device {

inline void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// Ends the program with 77, which a test runner reads as skipped, where no device can be reached; with 1 where
/// POLYROPE_REQUIRE_GPU is 1.
inline cudaDeviceProp require_device() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    cudaDeviceProp found{};
    if (error == cudaSuccess && count > 0 && cudaGetDeviceProperties(&found, 0) == cudaSuccess) return found;
    const char* const required = std::getenv("POLYROPE_REQUIRE_GPU");
    const bool fails = required != nullptr && std::strcmp(required, "1") == 0;
    std::printf("%s: no CUDA device can be reached (%s)\n", fails ? "failed" : "skipped",
                error == cudaSuccess ? "the driver counts none" : cudaGetErrorString(error));
    std::fflush(stdout);
    std::exit(fails ? 1 : 77);
}

template <class T>
class array {
public:
    array() = default;
    explicit array(std::size_t count) : count_(count) {
        if (count > 0) check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "cudaMalloc");
    }
    explicit array(const std::vector<T>& from) : array(from.size()) { put(from); }
    ~array() { static_cast<void>(cudaFree(data_)); }
    array(const array&) = delete;
    array& operator=(const array&) = delete;
    array(array&& other) noexcept : data_(other.data_), count_(other.count_) {
        other.data_ = nullptr, other.count_ = 0;
    }

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return count_; }
    void put(const std::vector<T>& from) {
        if (from.size() != count_) throw std::runtime_error("a copy to the device of another size");
        if (count_ > 0)
            check(cudaMemcpy(data_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
    }
    [[nodiscard]] std::vector<T> get() const {
        std::vector<T> to(count_);
        if (count_ > 0)
            check(cudaMemcpy(to.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
        return to;
    }

private:
    T* data_ = nullptr;
    std::size_t count_ = 0;
};

class stream {
public:
    stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreate"); }
    ~stream() { static_cast<void>(cudaStreamDestroy(handle_)); }
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    [[nodiscard]] cudaStream_t get() const { return handle_; }
    void wait() const { check(cudaStreamSynchronize(handle_), "the stream"); }

private:
    cudaStream_t handle_ = nullptr;
};

/// What `launch(stream)` queues, captured once and replayed.
class graph {
public:
    template <class Launch>
    graph(const stream& on, Launch launch) {
        check(cudaStreamBeginCapture(on.get(), cudaStreamCaptureModeThreadLocal), "capture");
        launch(on.get());
        cudaGraph_t captured = nullptr;
        check(cudaStreamEndCapture(on.get(), &captured), "end of capture");
        const cudaError_t made = cudaGraphInstantiate(&handle_, captured, 0);
        static_cast<void>(cudaGraphDestroy(captured));
        check(made, "cudaGraphInstantiate");
    }
    ~graph() { static_cast<void>(cudaGraphExecDestroy(handle_)); }
    graph(const graph&) = delete;
    graph& operator=(const graph&) = delete;
    void replay(const stream& on) const { check(cudaGraphLaunch(handle_, on.get()), "cudaGraphLaunch"); }

private:
    cudaGraphExec_t handle_ = nullptr;
};

}  // namespace polyrope::device
