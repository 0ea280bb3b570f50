import Foundation
import Logging
import RoostAuth
import RoostConfiguration
import RoostServices
import RoostServicesConfiguration

// 0 means success, 1 a failure while running, 2 a mistake in the command line, the configuration or a key, which a
// restart can't repair. Results go to standard output, everything else to standard error.

func end(_ line: String, code: Int32) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("roost-services: \(line)\n".utf8))
    exit(code)
}

LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
do {
    let line = try ServicesCommandLine(Array(CommandLine.arguments.dropFirst()))
    switch line.command {
    case .help: print(ServicesCommandLine.help)
    case .version:
        print("roost-services \(ServicesVersion.number)\ncommit \(ServicesVersion.commit ?? "unknown")")
    case .rotateKey:
        try KeyRing.rotate(
            data: try line.configuration(ProcessInfo.processInfo.environment).data, limits: ServicesLimits(),
            clock: .system)
    case .importFirebase:
        let configuration = try line.configuration(ProcessInfo.processInfo.environment)
        var firebase = try FirebaseImport(
            data: configuration.data, hashParameters: line.hashConfig, isDryRun: line.isDryRun,
            rules: Accounts.Settings(configuration).rules, openID: configuration.openID,
            limits: ServicesLimits(), clock: .system
        ) { print($0) }
        let (report, failure) = firebase.run(file: line.importFile)
        print((line.isDryRun ? "Nothing was written. It would be:\n" : "") + report.text)
        if let failure { throw failure }
    case .link:
        let configuration = try line.configuration(ProcessInfo.processInfo.environment)
        print(try await Services.link(configuration, isForFriend: line.isForFriend))
    case .adminToken:
        let configuration = try line.configuration(ProcessInfo.processInfo.environment)
        print(try AdminRequest(line, configuration).token())
    case .admin:
        guard let request = line.request else { end("admin: a method and a path are missing", code: 2) }
        let environment = ProcessInfo.processInfo.environment
        let body = try FileHandle.standardInput.read(upToCount: ServicesLimits().bodyBytes) ?? Data()
        let sender = AdminRequest(line, try line.configuration(environment))
        let answer = try await sender.send(
            request.method, request.path, body: [UInt8](body), token: environment["ROOST_ADMIN_TOKEN"])
        try? FileHandle.standardOutput.write(contentsOf: Data("\(answer.status)\n".utf8) + Data(answer.body))
    case .serve:
        let configuration = try line.configuration(ProcessInfo.processInfo.environment)
        if line.isSupervised { Supervision.begin() }
        var log = Logger(label: "roost-services")
        log.logLevel = .notice
        try await Services(configuration, log: log).run()
    }
} catch let failure as ConfigurationFailure {
    end(failure.description, code: 2)
} catch let failure as KeyFailure {
    end(failure.reason, code: 2)
} catch let fault as MailSettingsFault {
    end(fault.description, code: 2)
} catch let failure as OutgoingFailure {
    end("the services don't answer: \(failure)", code: 1)
} catch let fault as ServiceFault {
    end(fault.reason, code: 1)
} catch {
    end("\(error)", code: 1)
}
