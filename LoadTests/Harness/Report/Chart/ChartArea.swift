/// The frame of one drawing: its size, the lines behind it and the words around it. Places are in the pixels of its
/// view box; y grows downwards. A value.
struct ChartArea {
    struct Size {
        let width: Double
        let height: Double
        static let large = Size(width: 960, height: 340)
        static let small = Size(width: 470, height: 260)
    }

    let size: Size
    let left = 64.0
    let top = 40.0
    let right: Double
    let bottom: Double

    /// - Parameter hasRightAxis: Whether there must be room for numbers on the right.
    init(size: Size, hasRightAxis: Bool) {
        self.size = size
        right = size.width - (hasRightAxis ? 64 : 22)
        bottom = size.height - 32
    }

    func x(_ share: Double) -> Double { left + (right - left) * share }
    func y(_ share: Double) -> Double { bottom - (bottom - top) * share }

    /// The whole drawing. The title and the description are what those hear who don't see it.
    func svg(id: String, title: String, description: String, content: Markup) -> Markup {
        """
        <div class="scroll"><svg viewBox="0 0 \(size.width) \(size.height)" \
        class="chart\(size.width < 600 ? " small" : "")" role="img" aria-labelledby="\(id)-title \(id)-desc">
        <title id="\(id)-title">\(title)</title>
        <desc id="\(id)-desc">\(description)</desc>
        \(content)</svg></div>

        """
    }

    /// Lines across with their numbers on the left, and what they count above them.
    func leftAxis(_ axis: Axis, title: String, text: (Double) -> String) -> Markup {
        var markup: Markup = "<text class=\"name\" x=\"2\" y=\"14\">\(title)</text>\n"
        for tick in axis.ticks {
            let place = y(axis.share(tick))
            markup += """
                <line class="grid" x1="\(left)" y1="\(place)" x2="\(right)" y2="\(place)"/>\
                <text x="\(left - 8)" y="\(place + 4)" text-anchor="end">\(text(tick))</text>

                """
        }
        return markup
    }

    /// Numbers on the right, without lines.
    func rightAxis(_ axis: Axis, title: String, text: (Double) -> String) -> Markup {
        var markup: Markup =
            "<text class=\"name\" x=\"\(size.width - 2)\" y=\"14\" text-anchor=\"end\">\(title)</text>\n"
        for tick in axis.ticks {
            let place = y(axis.share(tick))
            markup += """
                <line class="tick" x1="\(right)" y1="\(place)" x2="\(right + 4)" y2="\(place)"/>\
                <text x="\(right + 8)" y="\(place + 4)">\(text(tick))</text>

                """
        }
        return markup
    }

    /// The line below with its numbers.
    func bottomAxis(_ ticks: [(share: Double, text: String)], hasLines: Bool) -> Markup {
        var markup: Markup = "<line class=\"base\" x1=\"\(left)\" y1=\"\(bottom)\" x2=\"\(right)\" y2=\"\(bottom)\"/>\n"
        for tick in ticks {
            let place = x(tick.share)
            let up = hasLines ? top : bottom
            markup += """
                <line class="\(hasLines ? "grid" : "tick")" x1="\(place)" y1="\(up)" x2="\(place)" y2="\(bottom + 5)"/>\
                <text x="\(place)" y="\(bottom + 20)" text-anchor="middle">\(tick.text)</text>

                """
        }
        return markup
    }

    /// The clock below.
    func timeAxis(_ axis: Axis) -> Markup {
        bottomAxis(axis.ticks.map { (axis.share($0), Readable.clock($0)) }, hasLines: false)
    }

    /// A span of time behind the curves, with a word at its top.
    func shade(_ axis: Axis, from first: Double, to last: Double, text: String) -> Markup {
        let begin = x(axis.share(first))
        let width = x(axis.share(last)) - begin
        guard width > 0.5 else { return "" }
        let label: Markup =
            width > 48 ? "<text class=\"mark\" x=\"\(begin + 2)\" y=\"\(top - 8)\">\(text)</text>" : ""
        return """
            <rect class="shade" x="\(begin)" y="\(top)" width="\(width)" height="\(bottom - top)"/>\(label)

            """
    }
}
