// What runs inside Redis or Valkey, each in one step: one call is charged, or the mark is made.
// The first repeats the windows and the bans of the limiter in memory; a test holds them together.

/**
 * KEYS: the mark, the counters of the key. ARGV: now, the mark as the replica knows it, calls per
 * minute, calls per day, refusals that draw a ban, how long it lasts. Times are Unix milliseconds.
 * Answers what became of the call, limit, remaining, reset, and how long to wait.
 */
export const chargeScript = `
local now, known = tonumber(ARGV[1]), tonumber(ARGV[2])
local perMinute, perDay = tonumber(ARGV[3]), tonumber(ARGV[4])
local banAfter, banLasts = tonumber(ARGV[5]), tonumber(ARGV[6])
local minuteMs, dayMs = 60000, 86400000
local granted, refused, banned, lost = 1, 2, 3, 4

local since = tonumber(redis.call('GET', KEYS[1]))
if not since then
  since = now == known and now + 1 or now
  redis.call('SET', KEYS[1], since)
end
if since ~= known and math.floor(now / dayMs) <= math.floor(since / dayMs) then
  local reset = (math.floor(since / dayMs) + 1) * dayMs
  return { lost, perDay, 0, reset, reset - now }
end

local names = { 'minute', 'usedOfMinute', 'day', 'usedOfDay',
  'refusals', 'refusedSince', 'bannedUntil', 'limit', 'reset', 'retryAt' }
local values = redis.call('HMGET', KEYS[2], unpack(names))
local held = {}
for at, name in ipairs(names) do held[name] = tonumber(values[at]) or 0 end

local function bannedAnswer()
  local reset = math.max(held.reset, held.bannedUntil)
  return { banned, held.limit, 0, reset, math.max(held.retryAt, held.bannedUntil) - now }
end
if now < held.bannedUntil then return bannedAnswer() end

-- The clock of one replica may lag behind another's: it stays in the later window.
local function enter(window, used, windowMs)
  local current = math.floor(now / windowMs)
  if current > held[window] then held[window], held[used] = current, 0 end
  return (held[window] + 1) * windowMs
end
local minuteEnd = enter('minute', 'usedOfMinute', minuteMs)
local dayEnd = enter('day', 'usedOfDay', dayMs)
local freeAt = now
if held.usedOfMinute >= perMinute then freeAt = minuteEnd end
if held.usedOfDay >= perDay then freeAt = math.max(freeAt, dayEnd) end
local isGranted = freeAt <= now
if isGranted then
  held.usedOfMinute, held.usedOfDay = held.usedOfMinute + 1, held.usedOfDay + 1
end

local limit, remaining, reset = perMinute, perMinute - held.usedOfMinute, minuteEnd
if perDay - held.usedOfDay <= remaining then
  limit, remaining, reset = perDay, perDay - held.usedOfDay, dayEnd
end
-- A key may have come back with a smaller quota than it had.
remaining = math.max(0, remaining)

local answer
if isGranted then
  held.refusals, held.bannedUntil = 0, 0
  answer = { granted, limit, remaining, reset, 0 }
else
  local goesOn = held.refusals > 0 and now - held.refusedSince < minuteMs
  if not goesOn then held.refusals, held.refusedSince = 0, now end
  held.refusals = held.refusals + 1
  held.limit, held.reset, held.retryAt, held.bannedUntil = limit, reset, freeAt, 0
  answer = { refused, limit, remaining, reset, freeAt - now }
  if held.refusals >= banAfter then
    held.refusals, held.bannedUntil = 0, now + banLasts
    answer = bannedAnswer()
  end
end

local fields = {}
for _, name in ipairs(names) do
  fields[#fields + 1] = name
  fields[#fields + 1] = held[name]
end
redis.call('HSET', KEYS[2], unpack(fields))
redis.call('PEXPIRE', KEYS[2], dayEnd - now + banLasts)
return answer
`

/** KEYS: the mark. ARGV: now, and 1 to make it anew though it is there. Answers the mark. */
export const markScript = `
local now, held = tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]))
if held and ARGV[2] ~= '1' then return held end
local since = now == held and now + 1 or now
redis.call('SET', KEYS[1], since)
return since
`
