#pragma once
// A caller's own two threads, as an engine has them: the second one waits for work in a loop, so that a
// call costs no wake-up.

#include <atomic>
#include <functional>
#include <thread>

namespace bench {

class second_thread {
public:
    second_thread() : thread_([this] { loop(); }) {}
    ~second_thread() {
        ticket_.store(-1, std::memory_order_release);
        thread_.join();
    }
    second_thread(const second_thread&) = delete;
    second_thread& operator=(const second_thread&) = delete;

    /// Runs work(0) here and work(1) on the other thread.
    void run(const std::function<void(int)>& work) {
        work_ = &work;
        const int next = ++last_;
        ticket_.store(next, std::memory_order_release);
        work(0);
        while (done_.load(std::memory_order_acquire) != next) std::this_thread::yield();
    }

private:
    void loop() {
        for (int seen = 0;;) {
            const int ticket = ticket_.load(std::memory_order_acquire);
            if (ticket < 0) return;
            if (ticket == seen) {
                std::this_thread::yield();
                continue;
            }
            seen = ticket;
            (*work_)(1);
            done_.store(ticket, std::memory_order_release);
        }
    }

    const std::function<void(int)>* work_ = nullptr;
    int last_ = 0;
    std::atomic<int> ticket_{0}, done_{0};
    std::thread thread_;
};

}  // namespace bench
