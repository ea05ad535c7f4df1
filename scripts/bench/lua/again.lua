-- The same request for users who are drawn uniformly from the prepared ones. Arguments after the file: method, path,
-- body, and a name; with a name every request has an Idempotency-Key of its own.
package.path = (os.getenv("BENCH_LUA") or ".") .. "/?.lua;" .. package.path
local requests = require("requests")

setup = requests.setup
done = function(summary, latency) requests.report(summary, latency) end

local prepared = {}
local body, name

function init(arguments)
  local method, path
  _, method, path, body, name = unpack(arguments)
  requests.read(arguments[1])
  math.randomseed(os.time() * 16 + thread_number)
  local fields = body == "" and "" or "\r\nContent-Type: application/json"
  if method ~= "GET" then fields = fields .. "\r\nContent-Length: " .. #body end
  for index, line in ipairs(requests.lines) do
    prepared[index] = method .. " " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
      .. line:match("^[^\t]+") .. fields
  end
  if name == "" then
    for index, head in ipairs(prepared) do prepared[index] = head .. "\r\n\r\n" .. body end
  end
end

local sent = 0

function request()
  local head = prepared[math.random(#prepared)]
  if name == "" then return head end
  sent = sent + 1
  return head .. "\r\nIdempotency-Key: " .. name .. "-" .. sent .. "\r\n\r\n" .. body
end
