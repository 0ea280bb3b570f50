// The second stage of a JSON parser on top of simdjson's first.
//
// simdjson's stage 1 (vectorised, chosen for the CPU at run time) checks UTF-8 and control characters in strings, and
// lists where each token begins. Its own second stages don't fit: the DOM refuses numbers beyond its types, which a
// relay passes on, and On-Demand doesn't check what it skips. So the grammar, numbers, literals and escapes are
// checked here; every rule named below is of RFC 8259.

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <cstring>
#include <memory>
#include <new>

#include "CSimdjson.h"
#include "scalar.h"

namespace {

using csj::is_space;
using csj::read_number;
using csj::unescape;
using Stage1 = simdjson::internal::dom_parser_implementation;

// The tokens of one document. A copy of it lives on the stack, and whoever reads it is inlined, so that the pointers
// stay in registers while texts and members are written, which may alias the parser for all that the compiler knows.
struct Tokens {
    const uint8_t *document;
    const uint32_t *starts;
    // Where strings with escapes are unescaped, or NULL if there is no escape: each at the offset that it has in the
    // document. It can't get longer, so no two overlap, and reading one twice writes the same bytes again.
    uint8_t *texts;

    // Where token `index` begins. Stage 1 puts the length of the document after the last.
    uint32_t start(uint32_t index) const noexcept { return starts[index]; }

    // The first byte of token `index`; 0 after the last. So whoever matches it with another byte may read one on.
    uint8_t at(uint32_t index) const noexcept { return document[starts[index]]; }

    // The end of token `index`, a string, number or literal.
    uint32_t end(uint32_t index) const noexcept {
        uint32_t end = starts[index + 1];
        while (is_space(document[end - 1])) { --end; }
        return end;
    }

    const char *chars(uint32_t offset) const noexcept { return reinterpret_cast<const char *>(document + offset); }

    // The token behind the value that begins at `index` in a document that was checked.
    uint32_t behind(uint32_t index) const noexcept {
        uint32_t depth = 0;
        do {
            uint8_t byte = at(index++);
            if (byte == '{' || byte == '[') { ++depth; }
            if (byte == '}' || byte == ']') { --depth; }
        } while (depth > 0);
        return index;
    }
};

// Reads the string that is exactly `start` to `end`, the quotes included.
simdjson_inline bool read_string(
    const Tokens &tokens, uint32_t start, uint32_t end, const char *&text, uint32_t &count) noexcept {
    uint32_t first = start + 1;
    uint32_t last = end - 1;
    if (last < first || tokens.document[last] != '"') { return false; }
    if (!tokens.texts) {
        text = tokens.chars(first);
        count = last - first;
        return true;
    }
    uint8_t *to = tokens.texts + first;
    const uint8_t *behind = unescape(tokens.document + first, tokens.document + last, to);
    if (!behind) { return false; }
    text = reinterpret_cast<const char *>(to);
    count = uint32_t(behind - to);
    return true;
}

// Reads a name and its colon, and moves on to the value.
simdjson_inline bool read_key(const Tokens &tokens, uint32_t &index, csj_value &value) noexcept {
    if (tokens.at(index) != '"' || tokens.at(index + 1) != ':') { return false; }
    if (!read_string(tokens, tokens.start(index), tokens.end(index), value.key, value.key_count)) { return false; }
    index += 2;
    return true;
}

// Reads a token that is no bracket.
simdjson_inline bool read_scalar(const Tokens &tokens, uint32_t index, csj_value &value) noexcept {
    uint32_t start = tokens.start(index);
    uint32_t end = tokens.end(index);
    const uint8_t *from = tokens.document + start;
    value.raw_count = end - start;
    switch (*from) {
    case '"':
        value.kind = CSJ_STRING;
        return read_string(tokens, start, end, value.text, value.text_count);
    case '-':
    case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
        return read_number(from, tokens.document + end, value);
    case 't':
        value.kind = CSJ_TRUE;
        return end - start == 4 && std::memcmp(from, "true", 4) == 0;
    case 'f':
        value.kind = CSJ_FALSE;
        return end - start == 5 && std::memcmp(from, "false", 5) == 0;
    case 'n':
        value.kind = CSJ_NULL;
        return end - start == 4 && std::memcmp(from, "null", 4) == 0;
    default: return false;
    }
}

// Checks the array or object that opens at `index`, a child of the outermost, and moves behind it. `open` has room
// for `max_depth` closing brackets.
csj_status check_container(const Tokens &outer, uint32_t &index, uint8_t *open, uint32_t max_depth) noexcept {
    const Tokens tokens = outer;
    uint32_t depth = 1;
    csj_value ignored;
    for (;;) {
        uint8_t byte = tokens.at(index);
        if (byte == '{' || byte == '[') {
            if (depth >= max_depth) { return CSJ_TOO_DEEP; }
            // ASCII: `{` and `}`, and `[` and `]`, are two apart.
            open[depth++] = uint8_t(byte + 2);
            ++index;
            if (tokens.at(index) != byte + 2) {
                if (byte == '{' && !read_key(tokens, index, ignored)) { return CSJ_INVALID; }
                continue;
            }
        } else {
            if (!read_scalar(tokens, index, ignored)) { return CSJ_INVALID; }
            ++index;
        }
        while (tokens.at(index) == open[depth - 1]) {
            ++index;
            if (--depth == 1) { return CSJ_OK; }
        }
        if (tokens.at(index) != ',') { return CSJ_INVALID; }
        ++index;
        if (open[depth - 1] == '}' && !read_key(tokens, index, ignored)) { return CSJ_INVALID; }
    }
}

// Notes where the value at `index` is; the rest is for who reads it.
simdjson_inline void begin_value(const Tokens &tokens, uint32_t index, csj_value &value) noexcept {
    value.token = index;
    value.offset = tokens.start(index);
    value.raw = tokens.chars(value.offset);
    value.text = nullptr;
    value.text_count = 0;
    value.integer = 0;
}

} // namespace

struct csj_parser {
    std::unique_ptr<Stage1> stage1;
    std::unique_ptr<uint8_t[]> document;
    std::unique_ptr<uint8_t[]> texts;
    std::unique_ptr<uint8_t[]> open;
    std::unique_ptr<csj_value[]> members;
    size_t max_bytes = 0;
    uint32_t max_depth = 0;
    uint32_t max_members = 0;
    uint32_t member_count = 0;
    bool has_escapes = false;

    Tokens tokens() const noexcept {
        return {document.get(), stage1->structural_indexes.get(), has_escapes ? texts.get() : nullptr};
    }

    csj_status outermost() noexcept;
};

csj_status csj_parser::outermost() noexcept {
    const Tokens tokens = this->tokens();
    const uint32_t token_count = stage1->n_structural_indexes;
    uint32_t index = 1;
    if (tokens.at(0) != '{') { return CSJ_INVALID; }
    if (tokens.at(1) == '}') { return token_count == 2 ? CSJ_OK : CSJ_INVALID; }
    csj_value *member = members.get();
    csj_value *const end = member + max_members;
    csj_value spare;
    bool is_over = false;
    for (;;) {
        // What is beyond the table is checked all the same: bad JSON is told before its size is.
        if (member == end) {
            is_over = true;
            member = &spare;
        }
        if (!read_key(tokens, index, *member)) { return CSJ_INVALID; }
        begin_value(tokens, index, *member);
        uint8_t byte = tokens.at(index);
        if (byte == '{' || byte == '[') {
            member->kind = byte == '{' ? CSJ_OBJECT : CSJ_ARRAY;
            csj_status status = check_container(tokens, index, open.get(), max_depth);
            if (status != CSJ_OK) { return status; }
            member->raw_count = tokens.start(index - 1) + 1 - member->offset;
        } else {
            if (!read_scalar(tokens, index, *member)) { return CSJ_INVALID; }
            ++index;
        }
        if (!is_over) { ++member; }
        byte = tokens.at(index++);
        if (byte == '}') { break; }
        if (byte != ',') { return CSJ_INVALID; }
    }
    if (index != token_count) { return CSJ_INVALID; }
    if (is_over) { return CSJ_TOO_MANY_MEMBERS; }
    member_count = uint32_t(member - members.get());
    return CSJ_OK;
}

extern "C" {

csj_parser *csj_create(size_t max_bytes, uint32_t max_depth, uint32_t max_members) noexcept {
    if (max_bytes > UINT32_MAX - simdjson::SIMDJSON_PADDING || max_depth == 0) { return nullptr; }
    std::unique_ptr<csj_parser> parser(new (std::nothrow) csj_parser);
    if (!parser) { return nullptr; }
    size_t room = max_bytes + simdjson::SIMDJSON_PADDING;
    parser->document.reset(new (std::nothrow) uint8_t[room]());
    parser->texts.reset(new (std::nothrow) uint8_t[room]);
    parser->open.reset(new (std::nothrow) uint8_t[max_depth]);
    parser->members.reset(new (std::nothrow) csj_value[max_members]);
    if (!parser->document || !parser->texts || !parser->open || !parser->members) { return nullptr; }
    // The depth is for simdjson's own second stage, which isn't used.
    auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        max_bytes, 1, parser->stage1);
    if (error) { return nullptr; }
    parser->max_bytes = max_bytes;
    parser->max_depth = max_depth;
    parser->max_members = max_members;
    return parser.release();
}

void csj_destroy(csj_parser *parser) noexcept { delete parser; }

csj_status csj_parse(csj_parser *parser, const void *bytes, size_t count) noexcept {
    parser->member_count = 0;
    if (count > parser->max_bytes) { return CSJ_TOO_LONG; }
    if (count == 0) { return CSJ_INVALID; }
    uint8_t *document = parser->document.get();
    std::memcpy(document, bytes, count);
    std::memset(document + count, 0, simdjson::SIMDJSON_PADDING);
    if (parser->stage1->stage1(document, count, simdjson::stage1_mode::regular)) { return CSJ_INVALID; }
    parser->has_escapes = std::memchr(document, '\\', count) != nullptr;
    return parser->outermost();
}

const csj_value *csj_members(const csj_parser *parser) noexcept { return parser->members.get(); }

uint32_t csj_member_count(const csj_parser *parser) noexcept { return parser->member_count; }

csj_value csj_root(const csj_parser *parser) noexcept {
    const Tokens tokens = parser->tokens();
    csj_value root = {};
    begin_value(tokens, 0, root);
    root.kind = CSJ_OBJECT;
    root.raw_count = tokens.start(parser->stage1->n_structural_indexes - 1) + 1 - root.offset;
    return root;
}

csj_cursor csj_children(const csj_parser *parser, const csj_value *value) noexcept {
    if (value->kind != CSJ_ARRAY && value->kind != CSJ_OBJECT) { return {0, false}; }
    uint8_t first = parser->tokens().at(value->token + 1);
    return {first == ']' || first == '}' ? 0 : value->token + 1, value->kind == CSJ_OBJECT};
}

bool csj_next(csj_parser *parser, csj_cursor *cursor, csj_value *child) noexcept {
    // Token 0 is the outermost bracket, never a child: it stands for the end.
    if (cursor->token == 0) { return false; }
    const Tokens tokens = parser->tokens();
    uint32_t index = cursor->token;
    *child = csj_value{};
    if (cursor->is_object && !read_key(tokens, index, *child)) { return false; }
    begin_value(tokens, index, *child);
    uint32_t behind = tokens.behind(index);
    uint8_t byte = tokens.at(index);
    if (byte == '{' || byte == '[') {
        child->kind = byte == '{' ? CSJ_OBJECT : CSJ_ARRAY;
        child->raw_count = tokens.start(behind - 1) + 1 - child->offset;
    } else if (!read_scalar(tokens, index, *child)) {
        return false;
    }
    cursor->token = tokens.at(behind) == ',' ? behind + 1 : 0;
    return true;
}

bool csj_is_utf8(const void *bytes, size_t count) noexcept {
    return count == 0 || simdjson::validate_utf8(static_cast<const char *>(bytes), count);
}

} // extern "C"
