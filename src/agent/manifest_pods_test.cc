#include "agent/manifest_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Manifest(const std::string& name, const std::string& more = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\n" + more +
         "spec:\n  containers:\n  - name: c\n    command: [\"sleep\"]\n";
}

class ManifestPodsTest : public testing::Test {
 protected:
  void Put(const std::string& file, const std::string& text) {
    pods_.Apply({.file = file, .now = ManifestText{text}});
  }
  void Remove(const std::string& file) { pods_.Apply({.file = file, .now = ManifestGone{}}); }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const Pod& pod : pods_.Wanted()) names.push_back(FullName(pod));
    return names;
  }

  std::vector<std::string> lines_;
  FakeClock clock_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  ManifestPods pods_{log_};
};

TEST_F(ManifestPodsTest, AFileMayHoldSeveralDocuments) {
  Put("/m/a.yaml", Manifest("b") + "---\n" + Manifest("a"));
  Put("/m/c.json", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"c","namespace":"n"},
                       "spec":{"containers":[{"name":"c","command":["sleep"]}]}})");
  EXPECT_THAT(Names(), ElementsAre("default/a", "default/b", "n/c"));
  EXPECT_THAT(lines_, IsEmpty());
  Remove("/m/a.yaml");
  EXPECT_THAT(Names(), ElementsAre("n/c"));
}

TEST_F(ManifestPodsTest, AMalformedDocumentIsReportedWithFileAndFieldAndHarmsNoOther) {
  Put("/m/a.yaml", Manifest("good") + "---\n" + Manifest("Bad Name"));
  EXPECT_THAT(Names(), ElementsAre("default/good"));
  EXPECT_THAT(lines_,
              ElementsAre(testing::AllOf(HasSubstr("level=error"), HasSubstr("file=/m/a.yaml"),
                                         HasSubstr("field=metadata.name"))));
  Put("/m/b.yaml", "a: [");
  EXPECT_THAT(lines_.back(), HasSubstr("file=/m/b.yaml"));
  EXPECT_THAT(Names(), ElementsAre("default/good"));
}

TEST_F(ManifestPodsTest, TheLastGoodVersionStaysWhileAFileHasFaults) {
  Put("/m/a.yaml", Manifest("a") + "---\n" + Manifest("b"));
  Put("/m/a.yaml", "a: [");
  EXPECT_THAT(Names(), ElementsAre("default/a", "default/b"));
  Put("/m/a.yaml", "kind: Pod\n---\n" + Manifest("b"));
  EXPECT_THAT(Names(), ElementsAre("default/a", "default/b"));
  Put("/m/a.yaml", Manifest("b"));
  EXPECT_THAT(Names(), ElementsAre("default/b"));
}

TEST_F(ManifestPodsTest, TheUidFollowsTheContentButNotItsForm) {
  const auto uid_of = [this](const std::string& text, const std::string& file = "/m/a") {
    Put(file, text);
    const std::string uid = pods_.Wanted().at(0).uid;
    Remove(file);
    return uid;
  };
  const std::string uid = uid_of(Manifest("a"));
  EXPECT_EQ(uid.size(), 32U);
  EXPECT_EQ(uid_of("# comment\n" + Manifest("a")), uid);
  EXPECT_NE(uid_of(Manifest("a", "  labels: {x: z}\n")), uid);
  EXPECT_NE(uid_of(Manifest("a"), "/m/b"), uid);
  EXPECT_EQ(uid_of(Manifest("a", "  uid: given\n")), "given");
}

TEST_F(ManifestPodsTest, OfTwoPodsWithOneNameTheFirstFileWins) {
  Put("/m/b", Manifest("a"));
  Put("/m/a", Manifest("a", "  uid: first\n"));
  ASSERT_THAT(Names(), ElementsAre("default/a"));
  EXPECT_EQ(pods_.Wanted().front().uid, "first");
  EXPECT_THAT(lines_.back(), HasSubstr("file=/m/b field=metadata.name value=default/a"));
}

}  // namespace
}  // namespace jettison
