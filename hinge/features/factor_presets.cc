#include "hinge/features/presets.h"

namespace hinge {
namespace {

// McDonald, Crammer & Pereira (ACL 2005), Table 1: words and tags of head and
// modifier, tags between and around them, and the first five letters of each word;
// here with both coarse and fine tags, lemmas and morphology.
constexpr std::string_view kLines = R"(# one word
arc h.form
arc h.upos
arc h.xpos
arc h.form h.xpos
arc h.prefix5
arc h.prefix5 h.xpos
arc h.lemma
arc h.feats h.upos
arc h-1.xpos h.xpos
arc h.xpos h+1.xpos
arc h-1.xpos h.xpos h+1.xpos
arc m.form
arc m.upos
arc m.xpos
arc m.form m.xpos
arc m.prefix5
arc m.prefix5 m.xpos
arc m.lemma
arc m.feats m.upos
arc m-1.xpos m.xpos
arc m.xpos m+1.xpos
arc m-1.xpos m.xpos m+1.xpos
arc m-1.form m.xpos
arc m.xpos m+1.form
# both
arc h.form h.xpos m.form m.xpos
arc h.xpos m.form m.xpos
arc h.form m.form m.xpos
arc h.form h.xpos m.xpos
arc h.form h.xpos m.form
arc h.form m.form
arc h.xpos m.xpos
arc h.upos m.upos
arc h.upos m.form
arc h.form m.upos
arc h.lemma m.lemma
arc h.lemma m.upos
arc h.upos m.lemma
arc h.prefix5 h.xpos m.prefix5 m.xpos
arc h.xpos m.prefix5 m.xpos
arc h.prefix5 h.xpos m.xpos
arc h.prefix5 m.prefix5
arc h.upos h.feats m.upos m.feats
arc h.upos m.upos m.feats
arc h.upos h.feats m.upos
# around
arc h.xpos h+1.xpos m-1.xpos m.xpos
arc h-1.xpos h.xpos m-1.xpos m.xpos
arc h.xpos h+1.xpos m.xpos m+1.xpos
arc h-1.xpos h.xpos m.xpos m+1.xpos
arc h.xpos h+1.xpos m.xpos
arc h-1.xpos h.xpos m.xpos
arc h.xpos m-1.xpos m.xpos
arc h.xpos m.xpos m+1.xpos
arc h.upos h+1.upos m-1.upos m.upos
arc h-1.upos h.upos m-1.upos m.upos
arc h.upos h+1.upos m.upos m+1.upos
arc h-1.upos h.upos m.upos m+1.upos
# between
arc h.xpos b.xpos m.xpos
arc h.upos b.upos m.upos
# pairs of modifiers
sibling h.xpos s.xpos m.xpos
sibling h.upos s.upos m.upos
sibling s.xpos m.xpos
sibling s.upos m.upos
sibling s.form m.form
sibling s.lemma m.lemma
sibling s.form m.upos
sibling s.upos m.form
sibling h.form s.upos m.upos
sibling h.upos s.form m.upos
sibling h.upos s.upos m.form
sibling h.form s.form m.upos
sibling h.form s.upos m.form
sibling h.lemma s.xpos m.xpos
sibling s.xpos m-1.xpos m.xpos
sibling s.xpos s+1.xpos m.xpos
# heads of heads
grand g.xpos h.xpos m.xpos
grand g.upos h.upos m.upos
grand g.xpos m.xpos
grand g.upos m.upos
grand g.form m.form
grand g.lemma m.lemma
grand g.form m.upos
grand g.upos m.form
grand g.form h.upos m.upos
grand g.upos h.form m.upos
grand g.upos h.upos m.form
grand g.form h.form m.upos
grand g.upos h.form m.form
grand g.lemma h.xpos m.xpos
grand g.xpos h.xpos m-1.xpos m.xpos
grand g.xpos h.xpos m.xpos m+1.xpos
# labels
label h.upos m.upos dir
label h.xpos m.xpos dist
label h.form dir
label h.lemma m.upos dir
label m.form
label m.form dir
label m.lemma h.upos dir
label m.upos dist
label m.xpos m-1.xpos dir
label m.xpos m+1.xpos dir
label m.xpos m-1.xpos m+1.xpos dir
label h.xpos h-1.xpos m.xpos dir
label h.xpos h+1.xpos m.xpos dir
label h.form m.form
label h.form m.xpos dir
label h.xpos m.form dir
label h.upos h.feats m.upos m.feats dir
label m.upos m.feats
label m.suffix3 m.upos dir
label h.suffix3 h.upos m.upos dir
label g.upos h.upos m.upos dir
label g.xpos h.xpos m.xpos
label h.upos m.upos l.form dir
label h.upos m.upos l.upos dir
label h.upos m.upos r.upos dir
label h.upos m.upos r.form dir
label m.form l.form
label h.form m.upos l.form
label h.upos m.upos p.upos dir
label h.upos m.upos n.upos dir
label h.upos m.upos p.form dir
label h.upos m.upos n.form dir
label h.upos p.upos m.upos n.upos dir
label h.form m.form l.form
)";

std::string all() { return std::string(kLines); }

// Without the columns that only annotated treebanks have.
std::string plain() {
  std::string text;
  for (std::string_view rest = kLines; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    if (line.find(".lemma") == std::string_view::npos && line.find(".feats") == std::string_view::npos)
      text += line;
    rest.remove_prefix(line.size());
  }
  return text;
}

constexpr Preset kTable[] = {
    {"dep", "words, tags, prefixes, lemmas and morphology (columns: FORM, LEMMA, UPOS, XPOS, FEATS)", all},
    {"dep-plain", "as dep, without lemmas and morphology (columns: FORM, UPOS, XPOS)", plain},
};

}  // namespace

std::span<const Preset> factor_preset_table() { return kTable; }

}  // namespace hinge
