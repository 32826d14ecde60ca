#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "rpc/client.h"

namespace jettison::cri {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Error ErrorOfStatus(int status, std::string message = "why") {
  return ErrorOf({.call = "RunPodSandbox",
                  .socket = "/run/c.sock",
                  .deadline = seconds(2),
                  .status = status,
                  .message = std::move(message)});
}

TEST(Status, EveryCanonicalCodeHasAnErrorCode) {
  // gRPC's documentation, "Status codes and their use in gRPC".
  struct Row {
    int status;
    ErrorCode code;
  };
  constexpr std::array<Row, 16> kRows = {{
      {1, ErrorCode::kUnavailable},        // CANCELLED
      {2, ErrorCode::kInternal},           // UNKNOWN
      {3, ErrorCode::kInvalidArgument},    // INVALID_ARGUMENT
      {4, ErrorCode::kDeadlineExceeded},   // DEADLINE_EXCEEDED
      {5, ErrorCode::kNotFound},           // NOT_FOUND
      {6, ErrorCode::kInvalidArgument},    // ALREADY_EXISTS
      {7, ErrorCode::kPermissionDenied},   // PERMISSION_DENIED
      {8, ErrorCode::kInternal},           // RESOURCE_EXHAUSTED
      {9, ErrorCode::kInvalidArgument},    // FAILED_PRECONDITION
      {10, ErrorCode::kUnavailable},       // ABORTED
      {11, ErrorCode::kInvalidArgument},   // OUT_OF_RANGE
      {12, ErrorCode::kUnavailable},       // UNIMPLEMENTED
      {13, ErrorCode::kInternal},          // INTERNAL
      {14, ErrorCode::kUnavailable},       // UNAVAILABLE
      {15, ErrorCode::kInternal},          // DATA_LOSS
      {16, ErrorCode::kPermissionDenied},  // UNAUTHENTICATED
  }};
  for (const Row& row : kRows) {
    const Error error = ErrorOfStatus(row.status);
    EXPECT_EQ(error.code, row.code) << row.status;
    EXPECT_THAT(error.message, StartsWith("RunPodSandbox: ")) << row.status;
  }
}

TEST(Status, WhatCanBePutRightFromOutsideSaysWhere) {
  EXPECT_EQ(ErrorOfStatus(14).message,
            "RunPodSandbox: no runtime answers on /run/c.sock (why); make sure that it is running "
            "and that containerRuntimeEndpoint names its socket");
  EXPECT_THAT(ErrorOfStatus(12).message,
              HasSubstr("/run/c.sock does not speak the Container Runtime Interface v1 (why)"));
}

TEST(Status, ARuntimeWithoutContainerdsApiHasNotGotWhatWasAskedFor) {
  const FailedCall call{.call = "ListNamespaces", .status = 12, .message = "why", .of_cri = false};
  EXPECT_EQ(ErrorOf(call).code, ErrorCode::kNotFound);
}

TEST(Status, ADeadlineSaysHowLongItWas) {
  EXPECT_EQ(ErrorOfStatus(4).message, "RunPodSandbox: no answer on /run/c.sock within 2s");
}

TEST(Status, TheRuntimesOwnWordsArePassedOn) {
  EXPECT_EQ(ErrorOfStatus(2).message, "RunPodSandbox: why");
  EXPECT_EQ(ErrorOfStatus(13, "").message, "RunPodSandbox: the runtime answered status 13");
}

}  // namespace
}  // namespace jettison::cri
