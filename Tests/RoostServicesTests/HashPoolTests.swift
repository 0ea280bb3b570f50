import Dispatch
import Synchronization
import Testing

@testable import RoostServices

/// Hashing passwords.
struct HashPoolTests {
    @Test func aPasswordIsKnownAgain() async throws {
        let pool = try HashPool(limits: ServicesLimits())
        let hash = try await pool.hash("correct horse")
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(try await pool.verify("correct horse", against: hash) == HashPool.Verdict(isRight: true))
        #expect(try await pool.verify("correct horsf", against: hash) == HashPool.Verdict(isRight: false))
        #expect(try await pool.hash("correct horse") != hash)
    }

    @Test func howAKeyboardComposesLettersDoesNotMatter() async throws {
        let pool = try HashPool(limits: ServicesLimits())
        let hash = try await pool.hash("v\u{FC}rfel \u{1EBF}")
        #expect(try await pool.verify("vu\u{308}rfel e\u{302}\u{301}", against: hash).isRight)
        #expect(try await pool.verify("vurfel e", against: hash).isRight == false)
    }

    @Test func withoutAHashEveryPasswordIsWrong() async throws {
        let pool = try HashPool(limits: ServicesLimits())
        #expect(try await pool.verify("correct horse", against: nil) == HashPool.Verdict(isRight: false))
    }

    @Test func aHashWithOtherParametersIsRenewed() async throws {
        let pool = try HashPool(limits: ServicesLimits())
        // echo -n password | argon2 somesalt -id -t 1 -k 64 -p 1 -e
        let old = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$cpx6VEQbwTVZvcpxNIxOVUWZ5xnAipUmAe1cg2GMG70"
        let verdict = try await pool.verify("password", against: old)
        #expect(verdict.isRight && verdict.renewed?.hasPrefix(Argon2.head) == true)
        #expect(try await pool.verify("passwort", against: old) == HashPool.Verdict(isRight: false))
        await #expect(throws: ServiceFault.self) { try await pool.verify("password", against: "$nonsense$") }
    }

    @Test func aFullQueueRefuses() async throws {
        var limits = ServicesLimits()
        limits.hashThreads = 1
        limits.hashQueue = 1
        let pool = try HashPool(limits: limits)
        let refusals = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(ServiceFault) {
                        _ = try await pool.hash("x")
                        return false
                    } catch {
                        return error.code == .busy && error.retryAfter != nil
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect((1...19).contains(refusals))
    }

    /// The threads that wait for an idle processor never get one here.
    @Test func onABusyMachinePasswordsAreCheckedAllTheSame() async throws {
        let busy = DispatchSemaphore(value: 0)
        var limits = ServicesLimits()
        limits.hashLateMilliseconds = 1
        do {
            let pool = try HashPool(limits: limits) { busy.wait() }
            let hash = try await pool.hash("correct horse")
            #expect(try await pool.verify("correct horse", against: hash).isRight)
            #expect(try await pool.verify("correct horsf", against: hash) == HashPool.Verdict(isRight: false))
        }
        for _ in 1...limits.hashThreads { busy.signal() }
    }

    /// A job that a thread began and doesn't end is done by the late one, and answered once.
    @Test func jobsUnderWayAreDoneByAnotherThread() async {
        var limits = ServicesLimits()
        limits.hashLateMilliseconds = 0
        let desk = HashDesk(limits: limits)
        let answers = Mutex(0)
        let job = HashJob { { answers.withLock { $0 += 1 } } }
        #expect(desk.add(job))
        #expect(desk.next() === job)
        #expect(desk.nextLate() === job)
        job.run()
        desk.end(job)
        job.run()
        desk.end(job)
        #expect(answers.withLock { $0 } == 1)
        desk.stop()
        #expect(desk.next() === nil)
        #expect(desk.nextLate() === nil)
    }
}
