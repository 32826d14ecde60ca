#include "sources/containerd/foreign_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc/fake_calls.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class CriForeignFacts : public testing::Test {
 protected:
  CriForeignFacts() {
    calls_.on_list_pod_sandbox = [](const auto&) {
      api::ListPodSandboxResponse response;
      for (const char* root : {"", "/ours", "/elsewhere", "dead"}) {
        api::PodSandbox& sandbox = *response.add_items();
        sandbox.set_state(std::string_view(root) == "dead" ? api::SANDBOX_NOTREADY
                                                           : api::SANDBOX_READY);
        if (root[0] == '/') (*sandbox.mutable_annotations())["jettison.io/root"] = root;
      }
      return response;
    };
    calls_.on_list_namespaces = [](const auto&) {
      namespaces_api::ListNamespacesResponse response;
      for (const char* name : {"default", "k8s.io", "no\nname"}) {
        response.add_namespaces()->set_name(name);
      }
      return response;
    };
    calls_.on_list_containers_in = [](const auto& wanted) {
      containers_api::ListContainersResponse response;
      for (int i = 0; i < 2; ++i) {
        auto& labels = *response.add_containers()->mutable_labels();
        if (wanted.in_namespace == "k8s.io") labels["io.cri-containerd.kind"] = "sandbox";
      }
      return response;
    };
  }
  FakeCalls calls_;
};

TEST_F(CriForeignFacts, CountWhatIsNotOurs) {
  const auto facts = AskForeign(calls_, "/ours", milliseconds(50));
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->sandboxes, 2U);
  EXPECT_TRUE(facts->tells_containers);
  EXPECT_THAT(facts->containers, ElementsAre(Pair("default", 2U)));
}

TEST_F(CriForeignFacts, ANamespaceThatHasMoreThanAMessageHoldsHidesNoOther) {
  const auto truth = calls_.on_list_containers_in;
  calls_.on_list_containers_in =
      [truth](const auto& wanted) -> Result<containers_api::ListContainersResponse> {
    if (wanted.in_namespace == "k8s.io") return Fail(ErrorCode::kInternal, "too large");
    return truth(wanted);
  };
  const auto facts = AskForeign(calls_, "/ours", milliseconds(50));
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_THAT(facts->containers, ElementsAre(Pair("default", 2U)));
  EXPECT_THAT(facts->uncounted, ElementsAre(Pair("k8s.io", "too large")));
}

TEST_F(CriForeignFacts, ARuntimeWithoutContainerdsApiTellsOfSandboxesAlone) {
  calls_.on_list_namespaces = [](const auto&) -> Result<namespaces_api::ListNamespacesResponse> {
    return Fail(ErrorCode::kNotFound, "no such API");
  };
  const auto facts = AskForeign(calls_, "/ours", milliseconds(50));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->sandboxes, 2U);
  EXPECT_FALSE(facts->tells_containers);
  EXPECT_THAT(facts->containers, IsEmpty());
}

TEST_F(CriForeignFacts, AnAnswerThatDoesNotComeIsAFailure) {
  calls_.Hang();
  EXPECT_EQ(AskForeign(calls_, "/ours", milliseconds(1)).error().code,
            ErrorCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace jettison::cri
