-- Reads a file of prepared requests: the header segment that all signed texts share, then one request a line, its user's
-- token and the rest of each signed text, tab-separated. Every thread takes its own slice.
--
-- The file is the first argument after "--". When a thread's slice is used up it goes on with the last line and counts
-- that; such a run is void ("exhausted" in its report). With `again` it begins anew.

local M = { lines = {}, header = "", cursor = 0, exhausted = 0, again = false }

local threads = {}

function M.setup(thread)
  thread:set("thread_number", #threads)
  table.insert(threads, thread)
  for _, each in ipairs(threads) do each:set("thread_count", #threads) end
end

function M.read(path)
  local number = 0
  for line in io.lines(path) do
    if number == 0 then
      M.header = line
    elseif (number - 1) % thread_count == thread_number then
      M.lines[#M.lines + 1] = line
    end
    number = number + 1
  end
end

function M.next_once()
  if M.again and M.cursor >= #M.lines then M.cursor = 0 end
  if M.cursor >= #M.lines then
    exhausted = (exhausted or 0) + 1
  else
    M.cursor = M.cursor + 1
  end
  return M.lines[M.cursor]
end

function M.post(path, token, body)
  return "POST " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " .. token
    .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end

function M.report(summary, latency)
  local spent = 0
  for _, thread in ipairs(threads) do spent = spent + (thread:get("exhausted") or 0) end
  io.write(string.format(
    '\nJSON {"requests": %d, "microseconds": %d, "non2xx": %d, "connect": %d, "read": %d, "write": %d, "timeout": %d, '
      .. '"p50": %d, "p90": %d, "p99": %d, "max": %d, "exhausted": %d}\n',
    summary.requests, summary.duration, summary.errors.status, summary.errors.connect, summary.errors.read,
    summary.errors.write, summary.errors.timeout, latency:percentile(50), latency:percentile(90),
    latency:percentile(99), latency.max, spent))
end

return M
