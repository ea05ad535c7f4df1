import CZlib

/// A stream of zlib, which has to stay where it is: zlib compares its address at each call.
struct ZlibStream: ~Copyable {
    let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init() {
        state.initialize(to: z_stream())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Runs `steps` with `input` as the stream's input. Gives the result of `steps`, and the number of input bytes left
    /// unread.
    func take<Result>(
        _ input: [UInt8], _ steps: (UnsafeMutablePointer<z_stream>) -> Result
    ) -> (result: Result, unread: Int) {
        input.withUnsafeBufferPointer { input in
            // zlib reads the input and never writes to it.
            state.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            state.pointee.avail_in = UInt32(input.count)
            return (steps(state), Int(state.pointee.avail_in))
        }
    }

    /// Runs `step` with `input` as the stream's input, and gives the number of bytes that it wrote into `output`.
    func pass(
        _ input: [UInt8], into output: UnsafeMutableBufferPointer<UInt8>,
        _ step: (UnsafeMutablePointer<z_stream>) -> Void
    ) -> Int {
        take(input) { state in
            state.pointee.next_out = output.baseAddress
            state.pointee.avail_out = UInt32(output.count)
            step(state)
            return output.count - Int(state.pointee.avail_out)
        }.result
    }
}
