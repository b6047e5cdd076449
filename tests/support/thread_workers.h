#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <ATen/ATen.h>

#include "plumb/dist/workers.h"

namespace plumb {

/// Workers that are threads of one process: each call meets at a barrier, and sums go in the order of ranks.
class ThreadWorkers {
 public:
  explicit ThreadWorkers(int size) : barrier_(size), slots_(static_cast<size_t>(size)) {}

  std::unique_ptr<Workers> worker(int rank) { return std::make_unique<Worker>(*this, rank); }

  /// Calls `work` once for every worker, each on a thread of its own, and waits for all.
  void run(const std::function<void(Workers&)>& work) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < static_cast<int>(slots_.size()); ++rank) {
      threads.emplace_back([this, rank, &work] { work(*worker(rank)); });
    }
  }

 private:
  struct Slot {
    at::Tensor tensor = {};
    std::vector<double> numbers = {};
    std::string text = {};
    int64_t flag = 0;
  };

  class Worker : public Workers {
   public:
    Worker(ThreadWorkers& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(all_.slots_.size()); }

    void sum(const at::Tensor& gradients, std::span<double> numbers) override {
      const auto slots = exchanged({.tensor = gradients.clone(), .numbers = {numbers.begin(), numbers.end()}});
      gradients.zero_();
      std::ranges::fill(numbers, 0);
      for (const Slot& slot : slots) {
        gradients.add_(slot.tensor);
        for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += slot.numbers[i];
      }
    }
    std::vector<std::string> gather(const std::string& mine) override {
      std::vector<std::string> texts;
      for (const Slot& slot : exchanged({.text = mine})) texts.push_back(slot.text);
      return texts;
    }
    void broadcast(const at::Tensor& tensor) override {
      const auto slots = exchanged({.tensor = tensor.clone()});
      tensor.copy_(slots[0].tensor);
    }
    void barrier() override { all_.barrier_.arrive_and_wait(); }
    int64_t agree(int64_t mine) override {
      int64_t largest = mine;
      for (const Slot& slot : exchanged({.flag = mine})) largest = std::max(largest, slot.flag);
      return largest;
    }

   private:
    /// What all workers brought to this call.
    std::vector<Slot> exchanged(Slot mine) {
      all_.slots_[static_cast<size_t>(rank_)] = std::move(mine);
      barrier();
      std::vector<Slot> all = all_.slots_;
      barrier();  // nobody brings the next before everybody has read this
      return all;
    }

    ThreadWorkers& all_;
    int rank_;
  };

  std::barrier<> barrier_;
  std::vector<Slot> slots_;
};

}  // namespace plumb
