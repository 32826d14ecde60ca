#include "runtimes/cri/runtime_facts.h"

#include "rpc/client_fixture.h"

namespace jettison::cri {
namespace {

// Tells one condition, which does not hold.
class UnreadyRuntime : public TestRuntime {
 public:
  grpc::Status Status(grpc::ServerContext*, const api::StatusRequest* request,
                      api::StatusResponse* response) override {
    EXPECT_TRUE(request->verbose());
    api::RuntimeCondition& ready = *response->mutable_status()->add_conditions();
    ready.set_type("RuntimeReady");
    ready.set_reason("Reason");
    ready.set_message("a message");
    return grpc::Status::OK;
  }
};

TEST(RuntimeFacts, AConditionThatDoesNotHoldSaysWhy) {
  const kernel::TemporaryFolder folder;
  const std::string socket = folder.path() + "/c.sock";
  UnreadyRuntime runtime;
  auto server = Serve(socket, &runtime);
  const auto facts = AskRuntime("unix://" + socket, kLong);
  ShutDown(server);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->name, "test");
  EXPECT_EQ(facts->not_ready, "Reason: a message");
  EXPECT_EQ(facts->no_network, "the runtime does not tell");
  EXPECT_FALSE(facts->has_sandbox_image);
}

TEST(RuntimeFacts, ARuntimeThatHangsIsWaitedForOnlySoLong) {
  const kernel::TemporaryFolder folder;
  const std::string socket = folder.path() + "/c.sock";
  const FileDescriptor listener = Listen(socket);
  const auto facts = AskRuntime("unix://" + socket, std::chrono::milliseconds(1));
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, ErrorCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace jettison::cri
