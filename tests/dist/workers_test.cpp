#include "plumb/dist/workers.h"

#include <array>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumb/dist/one_worker.h"

#include "support/thread_workers.h"

namespace plumb {
namespace {

using ::testing::ElementsAre;

/// What every implementation has to do. `workers` is one of them.
void expect_contract(Workers& workers) {
  const double size = workers.size();
  const int rank = workers.rank();
  EXPECT_EQ(workers.writes(), rank == 0);

  const at::Tensor gradients = at::full({5}, rank + 1.0);
  std::array<double, 2> numbers = {1, static_cast<double>(rank)};
  workers.sum(gradients, numbers);
  EXPECT_TRUE(at::equal(gradients, at::full({5}, size * (size + 1) / 2)));
  EXPECT_THAT(numbers, ElementsAre(size, size * (size - 1) / 2));

  const at::Tensor tensor = at::full({3}, 7.0 + rank);
  workers.broadcast(tensor);
  EXPECT_TRUE(at::equal(tensor, at::full({3}, 7.0)));

  const std::vector<std::string> texts = workers.gather("worker " + std::to_string(rank));
  ASSERT_EQ(std::ssize(texts), workers.size());
  for (int i = 0; i < workers.size(); ++i) EXPECT_EQ(texts[static_cast<size_t>(i)], "worker " + std::to_string(i));

  EXPECT_EQ(workers.agree(0), 0);
  EXPECT_EQ(workers.agree(rank == workers.size() - 1 ? 4 : 0), 4);
  EXPECT_EQ(workers.agree(rank), workers.size() - 1);
  workers.barrier();
}

TEST(Workers, OneIsLikeAnyOther) {
  OneWorker worker;
  EXPECT_EQ(worker.size(), 1);
  expect_contract(worker);
}

TEST(Workers, SeveralExchange) {
  for (int size : {1, 2, 3}) ThreadWorkers(size).run(expect_contract);
}

TEST(Workers, OneLeavesTheBitsOfAnUpdateAlone) {
  OneWorker worker;
  const at::Tensor gradients = at::randn({100}), before = gradients.clone();
  std::array<double, 1> numbers = {0.1};
  worker.sum(gradients, numbers);
  EXPECT_TRUE(at::equal(gradients, before));
  EXPECT_EQ(numbers[0], 0.1);
}

TEST(Workers, ShareOutEverythingOnceAndEvenly) {
  for (int size : {1, 2, 3, 4}) {
    ThreadWorkers workers(size);
    for (int64_t count : {0, 1, 2, 4, 7}) {
      int64_t next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Workers::Share share = workers.worker(rank)->share(count);
        EXPECT_EQ(share.begin, next);
        EXPECT_GE(share.end - share.begin, count / size);
        EXPECT_LE(share.end - share.begin, (count + size - 1) / size);
        EXPECT_FALSE(share.contains(share.end));
        next = share.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

}  // namespace
}  // namespace plumb
