#include "sources/foreign/foreign_group.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

TEST(ForeignSpec, TheDeclaredGroupIsTheProcesssOrAboveIt) {
  struct Row {
    const char* group;
    const char* path;
    const char* declared;
  };
  for (const Row& row :
       {Row{"/default/web", "/default/web", "/default/web"},
        Row{"/default/web/init", "/default/web", "/default/web"},
        Row{"/default/website", "/default/web", ""}, Row{"/default", "/default/web", ""},
        Row{"/default/web", "", ""}, Row{"/default/web", "/", ""},
        Row{"/default/web", "default/web", ""},
        Row{"/system.slice/docker-1a.scope", "system.slice:docker:1a",
            "/system.slice/docker-1a.scope"},
        Row{"/a.slice/a-b.slice/nerdctl-1a.scope/x", "a-b.slice:nerdctl:1a",
            "/a.slice/a-b.slice/nerdctl-1a.scope"},
        Row{"/system.slice/1a.scope", "system.slice::1a", "/system.slice/1a.scope"},
        Row{"/system.slice/docker-1ab.scope", "system.slice:docker:1a", ""},
        Row{"/system.slice", "system.slice:docker", ""}}) {
    EXPECT_EQ(DeclaredGroup(row.group, row.path), row.declared) << row.group << " " << row.path;
  }
}

TEST(ForeignSpec, SharesAskForWhatTheKubeletWouldHaveMadeThemOf) {
  EXPECT_EQ(MilliCpuOf(0), std::nullopt);
  EXPECT_EQ(MilliCpuOf(2), std::nullopt);
  EXPECT_EQ(MilliCpuOf(3), 3);
  EXPECT_EQ(MilliCpuOf(102), 100);
  EXPECT_EQ(MilliCpuOf(256), 250);
  EXPECT_EQ(MilliCpuOf(1024), 1000);
  EXPECT_EQ(MilliCpuOf(UINT64_MAX), 256'000);
}

}  // namespace
}  // namespace jettison
