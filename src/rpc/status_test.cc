#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "rpc/client.h"

namespace jettison::cri {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

Error ErrorOfStatus(int status, std::string message = "why") {
  return ErrorOf({.call = "RunPodSandbox",
                  .socket = "/run/c.sock",
                  .deadline = seconds(2),
                  .status = status,
                  .message = std::move(message)});
}

TEST(Status, WhatCanBePutRightFromOutsideSaysWhere) {
  EXPECT_EQ(ErrorOfStatus(14).message,
            "RunPodSandbox: no runtime answers on /run/c.sock (why); make sure that it is running "
            "and that containerRuntimeEndpoint names its socket");
  EXPECT_THAT(ErrorOfStatus(12).message,
              HasSubstr("/run/c.sock does not speak the Container Runtime Interface v1 (why)"));
}

TEST(Status, TheRuntimesOwnWordsArePassedOn) {
  EXPECT_EQ(ErrorOfStatus(2).message, "RunPodSandbox: why");
  EXPECT_EQ(ErrorOfStatus(13, "").message, "RunPodSandbox: the runtime answered status 13");
}

}  // namespace
}  // namespace jettison::cri
