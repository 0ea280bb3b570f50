import RoostKit

/// The part of a timeline that is on the screen. It holds on to a line, not to a number, so that older messages may
/// come in above and newer ones below without anything moving. Pure.
struct Viewport: Equatable, Sendable {
    /// A line of a row of the timeline.
    struct Place: Equatable, Sendable {
        var item: TimelineItem.ID
        var line: Int
    }

    /// The last line that is shown; nil to follow the newest.
    private(set) var bottom: Place?

    var isAtEnd: Bool { bottom == nil }

    mutating func toEnd() { bottom = nil }

    /// The lines that are shown.
    func range(in lines: [TimelineLine], height: Int) -> Range<Int> {
        let end = min(lines.count, max(index(in: lines).map { $0 + 1 } ?? lines.count, min(height, lines.count)))
        return max(0, end - height)..<end
    }

    /// Moves by some lines; upward is negative.
    mutating func scroll(by count: Int, in lines: [TimelineLine], height: Int) {
        let last = (index(in: lines) ?? lines.count - 1) + count
        guard last < lines.count - 1 else { return toEnd() }
        hold(max(last, min(height, lines.count) - 1), in: lines)
    }

    /// Moves as little as is needed to show a row, or to its middle if it is far away.
    mutating func reveal(_ item: TimelineItem.ID, in lines: [TimelineLine], height: Int) {
        guard let first = lines.firstIndex(where: { $0.item == item }),
            let last = lines.lastIndex(where: { $0.item == item })
        else { return }
        let shown = range(in: lines, height: height)
        if first >= shown.lowerBound, last < shown.upperBound { return }
        if first < shown.lowerBound - height || last > shown.upperBound + height {
            hold(min(lines.count - 1, first + height / 2), in: lines)
        } else if first < shown.lowerBound {
            hold(min(lines.count - 1, first + height - 1), in: lines)
        } else {
            hold(last, in: lines)
        }
    }

    private mutating func hold(_ index: Int, in lines: [TimelineLine]) {
        guard lines.indices.contains(index), index < lines.count - 1 else { return toEnd() }
        let item = lines[index].item
        let first = lines[...index].lastIndex { $0.item != item }.map { $0 + 1 } ?? 0
        bottom = Place(item: item, line: index - first)
    }

    // Nil at the end, or if the row isn't there any more.
    private func index(in lines: [TimelineLine]) -> Int? {
        guard let bottom, let first = lines.firstIndex(where: { $0.item == bottom.item }) else { return nil }
        var index = first
        while index + 1 < lines.count, index - first < bottom.line, lines[index + 1].item == bottom.item { index += 1 }
        return index
    }
}
