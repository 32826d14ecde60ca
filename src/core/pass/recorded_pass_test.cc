#include "core/pass/recorded_pass.h"

#include <gtest/gtest.h>

#include <utility>

namespace jettison {
namespace {

RecordedPass PassOf(std::size_t pods) {
  RecordedPass pass;
  for (std::size_t i = 0; i < pods; ++i) {
    PodStats& pod = pass.summary.pods.emplace_back();
    pod.uid = "0b8a4a5e-3a0e-4c39-9d0a-6f1b8f1c2d3e";
    pod.containers.resize(3);
  }
  return pass;
}

TEST(BytesOfAPass, GrowWithEachFigureThatItHolds) {
  EXPECT_GE(BytesOf(PassOf(1000)), 1000 * (sizeof(PodStats) + 3 * sizeof(ContainerStats) + 36));
  EXPECT_LE(BytesOf(PassOf(1000)), 4 * BytesOf(PassOf(500)));
  RecordedPass twice = PassOf(1000);
  twice.after_reclaim = twice.summary;
  EXPECT_GE(BytesOf(twice), 19 * BytesOf(PassOf(1000)) / 10);
  RecordedPass ranked = PassOf(0);
  ranked.report.ranking.assign(1000, "0b8a4a5e-3a0e-4c39-9d0a-6f1b8f1c2d3e");
  EXPECT_GE(BytesOf(ranked), 1000 * (sizeof(std::string) + 36));
}

TEST(BytesOfAPass, WhatItSharesDoesNotCount) {
  RecordedPass pass = PassOf(1);
  const std::size_t before = BytesOf(pass);
  auto facts = std::make_shared<PodFacts>();
  facts->pod.name = std::string(100'000, 'n');
  pass.pods.push_back(std::move(facts));
  EXPECT_LT(BytesOf(pass), before + 1000);
}

}  // namespace
}  // namespace jettison
