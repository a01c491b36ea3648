#include "hinge/tasks/source.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "hinge/files/file_list.h"

namespace hinge {

Source Source::of_files(std::string_view named) { return of_files(list_files(named)); }

Source Source::of_files(const std::vector<std::string>& files) {
  if (files.size() == 1) return files[0];
  Source source(fmt::format("{} and {} more", files.at(0), files.size() - 1));
  for (const std::string& file : files) source.parts.push_back({.file = file});
  return source;
}

Source Source::of_text(std::string bytes, std::string path, std::vector<Part> parts) {
  Source source = of_text(std::move(bytes), std::move(path));
  source.parts = std::move(parts);
  return source;
}

std::vector<std::string> Source::files() const {
  if (parts.empty()) return {path};
  std::vector<std::string> files;
  for (const Part& part : parts) files.push_back(part.file);
  return files;
}

bool Source::has_pipe() const {
  if (in_memory()) return false;
  return std::ranges::any_of(files(), [](const std::string& path) {
    std::error_code none;
    const auto type = std::filesystem::status(path, none).type();
    return type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::character;
  });
}

std::vector<TextInput> Source::inputs() const {
  if (parts.empty()) return {text ? TextInput(*text, path, first_line) : TextInput(path)};
  std::vector<TextInput> inputs;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Part& part = parts[k];
    if (text == nullptr) {
      inputs.emplace_back(part.file);
      continue;
    }
    const std::size_t end = k + 1 < parts.size() ? parts[k + 1].begin : text->size();
    inputs.emplace_back(std::string_view(*text).substr(part.begin, end - part.begin), part.file,
                        part.first_line);
  }
  return inputs;
}

TextInput Source::input() const {
  std::vector<TextInput> all = inputs();
  TextInput first = std::move(all[0]);
  all.erase(all.begin());
  first.more = std::move(all);
  return first;
}

Source read_source(const Source& source) {
  std::string text;
  std::vector<Source::Part> parts;
  for (const TextInput& input : source.inputs()) {
    parts.push_back({.file = input.name, .begin = text.size(), .first_line = input.first_line});
    text += read_text(input);
  }
  if (parts.size() > 1) return Source::of_text(std::move(text), source.name(), std::move(parts));
  return Source::of_text(std::move(text), source.name(), source.first_line);
}

}  // namespace hinge
