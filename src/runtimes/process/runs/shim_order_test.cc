#include "runtimes/process/runs/shim_order.h"

#include <gtest/gtest.h>

#include "runtimes/process/shim/order.h"

namespace jettison::process {
namespace {

RunOrder SampleRun() {
  RunOrder order;
  order.command = {"/bin/sh", "-c", "a=b; echo $a"};
  order.environment = {"PATH=/bin", "EMPTY="};
  order.groups = {"kubepods/podu/c (memory)", "kubepods/podu/c (pids)"};
  order.working_dir = "/w";
  order.rootfs = "/r/rootfs";
  order.run_dir = "/r";
  order.mount_points_file = "/p/mount-points";
  order.mounts = {{"/src", "sub", "/target", true, true, true},
                  {"/s2", "", "/t2", false, false, false}};
  order.log_path = "/l/0.log";
  order.log_max_bytes = 10;
  order.log_max_files = 5;
  order.boot_id = "boot";
  order.oom_kills = 7;
  order.oom_score_adj = -997;
  return order;
}

TEST(ShimOrder, TheShimReadsWhatTheAgentWrites) {
  std::string text = Format(SampleRun());
  shim::Order order;
  ASSERT_TRUE(shim::ParseOrder(text.data(), text.size(), order));
  EXPECT_EQ(order.mode, shim::Mode::kRun);
  ASSERT_EQ(order.args.count, 3U);
  EXPECT_STREQ(order.args.items[2], "a=b; echo $a");
  EXPECT_EQ(order.args.items[3], nullptr);
  ASSERT_EQ(order.env.count, 2U);
  EXPECT_STREQ(order.env.items[1], "EMPTY=");
  ASSERT_EQ(order.groups.count, 2U);
  EXPECT_STREQ(order.groups.items[0], "kubepods/podu/c (memory)");
  EXPECT_STREQ(order.groups.items[1], "kubepods/podu/c (pids)");
  EXPECT_STREQ(order.working_dir, "/w");
  ASSERT_EQ(order.mounts.count, 2U);
  EXPECT_STREQ(order.mounts.items[0].sub_path, "sub");
  EXPECT_TRUE(order.mounts.items[0].read_only);
  EXPECT_TRUE(order.mounts.items[0].on_host);
  EXPECT_TRUE(order.mounts.items[0].kept_by_operator);
  EXPECT_EQ(order.mounts.items[1].sub_path, nullptr);
  EXPECT_FALSE(order.mounts.items[1].read_only);
  EXPECT_FALSE(order.mounts.items[1].kept_by_operator);
  EXPECT_EQ(order.log_max_files, 5);
  EXPECT_EQ(order.oom_kills, 7);
  EXPECT_EQ(order.oom_score_adj, -997);
}

TEST(ShimOrder, AHookIsAnOrderToo) {
  std::string hook = Format(HookOrder{.command = {"true"},
                                      .environment = {},
                                      .groups = {"kubepods/podu/c"},
                                      .working_dir = "",
                                      .rootfs = "/r",
                                      .oom_score_adj = 5});
  shim::Order order;
  ASSERT_TRUE(shim::ParseOrder(hook.data(), hook.size(), order));
  EXPECT_EQ(order.mode, shim::Mode::kHook);
  EXPECT_EQ(order.groups.count, 1U);
  EXPECT_EQ(order.oom_score_adj, 5);
  EXPECT_EQ(order.working_dir, nullptr);
}

TEST(ShimOrder, AnOrderThatIsIncompleteOrUnknownIsRefused) {
  const std::string whole = Format(SampleRun());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::string text = whole.substr(0, size);
    shim::Order order;
    // A text that is cut after a complete optional field is still an order; one that is cut within
    // a field is not.
    if (size == 0 || text.back() != '\0') {
      EXPECT_FALSE(shim::ParseOrder(text.data(), text.size(), order)) << size;
    }
  }
  for (const std::string_view line :
       {"mode=dance", "nonsense=1", "oom_kills=", "oom_kills=x", "oom_kills=99999999999999999999",
        "no equals sign", "mount=q", "source=/early"}) {
    std::string text = Format(HookOrder{.command = {"true"},
                                        .environment = {},
                                        .groups = {"kubepods/podu/c"},
                                        .working_dir = "",
                                        .rootfs = "/r"}) +
                       std::string(line) + '\0';
    shim::Order order;
    EXPECT_FALSE(shim::ParseOrder(text.data(), text.size(), order)) << line;
  }
}

TEST(ShimOrder, AProcessWithoutAGroupToJoinIsNotOrdered) {
  RunOrder run = SampleRun();
  run.groups.clear();
  HookOrder hook;
  hook.command = {"true"};
  hook.rootfs = "/r";
  for (std::string text : {Format(run), Format(hook)}) {
    shim::Order order;
    EXPECT_FALSE(shim::ParseOrder(text.data(), text.size(), order));
  }
}

TEST(UnspeakableWord, FindsANulWithinAWord) {
  EXPECT_FALSE(UnspeakableWord({"a", ""}));
  EXPECT_EQ(UnspeakableWord({"a", std::string("b\0c", 3)}), "b");
}

}  // namespace
}  // namespace jettison::process
