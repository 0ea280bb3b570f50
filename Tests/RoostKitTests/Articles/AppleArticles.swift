// What articles show of Apple's frameworks: parsed everywhere, compiled where these exist.

import RoostClient
import RoostKit
import RoostStore
import RoostWire

#if canImport(SwiftUI)
    import SwiftUI

    // article
    struct ListView: View {
        let nest: Nest

        var body: some View {
            List(nest.lines) { line in
                NavigationLink(value: line.id) {
                    VStack(alignment: .leading) {
                        Text(line.title).bold()
                        Text(line.preview).foregroundStyle(.secondary)
                    }
                }
                .badge(line.unread)
            }
            .safeAreaInset(edge: .top) {
                if let banner = nest.banner { Text(banner) }
            }
        }
    }
    // end

    // article
    struct ChatView: View {
        @Bindable var screen: ChatScreen

        var body: some View {
            ScrollView {
                LazyVStack {
                    ForEach(screen.timeline.items) { item in
                        row(item)
                    }
                }
            }
            .defaultScrollAnchor(.bottom)
            .safeAreaInset(edge: .bottom) {
                VStack {
                    Text(screen.typingLine)
                    TextField("Message", text: draft)
                        .onSubmit { Task { await screen.send(screen.timeline.draft) } }
                }
            }
        }

        private var draft: Binding<String> {
            Binding {
                screen.timeline.draft
            } set: { text in
                Task { await screen.typed(text) }
            }
        }

        @ViewBuilder
        private func row(_ item: TimelineItem) -> some View {
            switch item {
            case .message(let message):
                VStack(alignment: message.isOwn ? .trailing : .leading) {
                    Text(message.text ?? "")
                    Text(screen.label(of: message)).font(.caption)
                }
                .onTapGesture { Task { await screen.tapped(message) } }
                .onAppear { Task { await screen.appeared(message) } }
            case .gap(let from, let to):
                ProgressView()
                    .task { try? await screen.timeline.fill(from: from, to: to) }
            }
        }
    }
    // end

    // article
    struct PhaseModifier: ViewModifier {
        @Environment(\.scenePhase) private var phase
        let roost: Roost

        func body(content: Content) -> some View {
            content.onChange(of: phase, initial: true) {
                Task {
                    switch phase {
                    case .active:
                        await roost.setActivity(.active)
                        await roost.wake()
                    case .inactive: await roost.setActivity(.idle)
                    default: await roost.setActivity(.background)
                    }
                }
            }
        }
    }
// end
#endif

#if canImport(UIKit)
    import UIKit

    // article
    final class ChatTable: UITableViewController {
        private var reader: Task<Void, Never>?
        private var source: UITableViewDiffableDataSource<Int, TimelineItem.ID>?

        func show(_ timeline: RoostKit.Timeline) {
            tableView.register(UITableViewCell.self, forCellReuseIdentifier: "row")
            let source = UITableViewDiffableDataSource<Int, TimelineItem.ID>(tableView: tableView) { table, path, id in
                let cell = table.dequeueReusableCell(withIdentifier: "row", for: path)
                let item = timeline.items.first { $0.id == id }
                cell.textLabel?.text = item?.message?.text ?? "…"
                return cell
            }
            self.source = source
            reader = Task {
                for await now in timeline.snapshots() {
                    var rows = NSDiffableDataSourceSnapshot<Int, TimelineItem.ID>()
                    rows.appendSections([0])
                    rows.appendItems(now.items.map(\.id))
                    rows.reconfigureItems(now.items.map(\.id))
                    await source.apply(rows)
                }
            }
        }

        deinit { reader?.cancel() }
    }
// end
#endif

#if canImport(Combine)
    import Combine

    // article
    @MainActor
    func publisher(of timeline: RoostKit.Timeline) -> AnyPublisher<TimelineSnapshot, Never> {
        let subject = CurrentValueSubject<TimelineSnapshot, Never>(timeline.snapshot)
        let reader = Task {
            for await now in timeline.snapshots() { subject.send(now) }
        }
        return subject.handleEvents(receiveCancel: { reader.cancel() }).eraseToAnyPublisher()
    }
// end
#endif

#if canImport(Network)
    import RoostClientURLSession

    // article
    func withNetworkPath(_ settings: RoostSettings) -> RoostSettings {
        var settings = settings
        settings.connector = URLSessionConnector()
        settings.network = NetworkPathMonitor()
        return settings
    }
// end
#endif

#if canImport(BackgroundTasks) && canImport(UIKit)
    import BackgroundTasks

    // article
    @MainActor
    func handle(_ task: BGAppRefreshTask, fetch: @escaping @MainActor () async throws -> Int) {
        let work = Task {
            let badge = try? await fetch()
            task.setTaskCompleted(success: badge != nil)
        }
        task.expirationHandler = { work.cancel() }
    }
// end
#endif
