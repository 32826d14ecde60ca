#include "codec/kubernetes/volume_reader.h"

#include <string_view>

namespace jettison::kube_json {
namespace {

EmptyDirSource ReadEmptyDir(const Field& field) {
  static constexpr std::string_view kKnown[] = {"medium", "sizeLimit"};
  EmptyDirSource source;
  if (!field.IsMap()) return source;
  source.medium = field.Member("medium").String().value_or("");
  source.size_limit = field.Member("sizeLimit").Bytes();
  field.WarnOfOthers(kKnown);
  return source;
}

HostPathSource ReadHostPath(const Field& field) {
  static constexpr std::string_view kKnown[] = {"path", "type"};
  HostPathSource source;
  if (!field.IsMap()) return source;
  source.path = field.Member("path").String().value_or("");
  source.type = field.Member("type").String().value_or("");
  field.WarnOfOthers(kKnown);
  return source;
}

// defaultMode and items would give the files other rights and names than they get here.
ConfigMapSource ReadConfigMap(const Field& field) {
  static constexpr std::string_view kKnown[] = {"name", "optional"};
  ConfigMapSource source;
  if (!field.IsMap()) return source;
  source.name = field.Member("name").String().value_or("");
  source.optional = field.Member("optional").Bool().value_or(false);
  field.WarnOfOthers(kKnown);
  return source;
}

SecretSource ReadSecret(const Field& field) {
  static constexpr std::string_view kKnown[] = {"secretName", "optional"};
  SecretSource source;
  if (!field.IsMap()) return source;
  source.secret_name = field.Member("secretName").String().value_or("");
  source.optional = field.Member("optional").Bool().value_or(false);
  field.WarnOfOthers(kKnown);
  return source;
}

VolumeSource ReadSource(std::string_view kind, const Field& field) {
  if (kind == "emptyDir") return ReadEmptyDir(field);
  if (kind == "hostPath") return ReadHostPath(field);
  if (kind == "configMap") return ReadConfigMap(field);
  if (kind == "secret") return ReadSecret(field);
  if (kind == "gitRepo") return GitRepoSource{};
  return OtherVolumeSource{std::string(kind)};
}

}  // namespace

Volume ReadVolume(const Field& field) {
  Volume volume{.name = {}, .source = OtherVolumeSource{}};
  if (!field.IsMap()) return volume;
  volume.name = field.Member("name").String().value_or("");
  bool found = false;
  for (const auto& [key, value] : *field.value()->AsMap()) {
    if (key == "name" || value.IsNull()) continue;
    const Field source = field.Member(key);
    if (found) {
      source.Fault("a volume has one source only; remove one of them");
      continue;
    }
    found = true;
    volume.source = ReadSource(key, source);
  }
  return volume;
}

}  // namespace jettison::kube_json
