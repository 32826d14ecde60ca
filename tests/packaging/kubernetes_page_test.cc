// The examples of docs/kubernetes.md do what the page says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>

#include "tests/packaging/kustomized.h"
#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

// The page's one example that has a line in it, without its fences.
std::string ExampleWith(const std::string& line) {
  const std::string page = FileText(std::string(JETTISON_SOURCE) + "/docs/kubernetes.md");
  const std::size_t at = page.find("\n" + line + "\n");
  EXPECT_NE(at, std::string::npos) << "no example has the line " << line;
  if (at == std::string::npos) return {};
  const std::size_t begin = page.find('\n', page.rfind("\n```", at) + 1) + 1;
  return page.substr(begin, page.find("\n```\n", at) + 1 - begin);
}

// "kubectl delete -k" deletes a namespace that is among the objects, with all that is in it.
TEST_F(Kustomization, ForAnExistingNamespaceHasNoNamespaceInIt) {
  const auto objects = KustomizedText(ExampleWith("namespace: monitoring"));
  ASSERT_THAT(objects, Contains(Key("DaemonSet jettison")));
  for (const auto& [name, object] : objects) {
    EXPECT_THAT(name, Not(HasSubstr("Namespace "))) << name;
    EXPECT_THAT(Canonical(object), Not(HasSubstr("jettison-system"))) << name;
  }
  for (const char* name : {"DaemonSet jettison", "ServiceAccount jettison", "ConfigMap jettison"}) {
    EXPECT_EQ(TextAt(objects.at(name), "metadata.namespace"), "monitoring") << name;
  }
  EXPECT_EQ(TextAt(objects.at("ClusterRoleBinding jettison"), "subjects.0.namespace"),
            "monitoring");
}

}  // namespace
}  // namespace jettison
