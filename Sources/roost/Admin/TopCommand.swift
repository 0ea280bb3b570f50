import ArgumentParser
import Foundation
import RoostChat
import RoostClient
import RoostWire

/// `roost top`: how a running relay is, every two seconds. When the relay goes, it waits until it is back.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show live figures of a relay: people, connections, rates, latencies, refusals.",
        discussion: "On a terminal, each screen replaces the last one; elsewhere, screens follow each other."
    )

    @OptionGroup var admin: AdminOptions
    @Option(help: "Stop after this many screens.") var count: Int?

    func validate() throws {
        guard count.map({ $0 > 0 }) ?? true else { throw ValidationError("--count must be 1 or more") }
    }

    func run() async throws {
        let address = try admin.address()
        // The first connection must succeed; later ones may have to wait for the relay.
        var client = try await admin.connect()
        var shown = 0
        var picture = TopPicture(address: address)
        while true {
            if let reply = try? await client.statistics(limit: 1),
                let kept = KeptStatistics(reading: reply.members)
            {
                if let last = kept.history.last { picture.begin(with: last) }
                for await sample in client.samples {
                    guard let statistics = RelayStatistics(reading: sample.members) else { continue }
                    show(admin.json ? [text(of: sample)] : picture.lines(statistics))
                    shown += 1
                    if shown == count { return await client.close() }
                }
            }
            guard count == nil else { throw AdminFailure("the connection was lost") }
            show(["\(TerminalText.printable(address)) doesn't answer; trying again"])
            client = await reconnect()
        }
    }

    private func text(of sample: OperatorClient.Reply) -> String {
        TerminalText.escaped(json: String(decoding: sample.text, as: UTF8.self))
    }

    private func reconnect() async -> OperatorClient {
        while true {
            try? await Task.sleep(for: .seconds(1))
            if let client = try? await admin.connect() { return client }
        }
    }

    private func show(_ lines: [String]) {
        // To the top left, and clear what is below (ECMA-48: CUP, ED).
        let isDrawn = isatty(STDOUT_FILENO) == 1 && !admin.json
        let head = isDrawn ? "\u{1B}[H\u{1B}[2J" : ""
        Terminal.write(head + lines.joined(separator: "\n") + (isDrawn || admin.json ? "\n" : "\n\n"))
    }
}
