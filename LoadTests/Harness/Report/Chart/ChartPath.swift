/// A line through points, as the `d` of an SVG path. Points that are left out break it. A value.
struct ChartPath {
    typealias Point = (x: Double, y: Double)

    let points: [Point?]

    /// The line; a point alone becomes a short stroke, or it would not be seen.
    var line: Markup {
        var path: Markup = ""
        for run in runs {
            for (index, point) in run.enumerated() {
                path += "\(index == 0 ? "M" : "L")\(point.x) \(point.y)"
            }
            if run.count == 1 { path += "h1" }
        }
        return path
    }

    /// What lies between the line and `base`.
    func area(base: Double) -> Markup {
        var path: Markup = ""
        for run in runs {
            guard let first = run.first, let last = run.last else { continue }
            path += "M\(first.x) \(base)"
            for point in run { path += "L\(point.x) \(point.y)" }
            path += "L\(last.x) \(base)Z"
        }
        return path
    }

    private var runs: [[Point]] {
        points.split(whereSeparator: { $0 == nil }).map { $0.compactMap { $0 } }
    }
}
