// The rows of the list of events: single events, groups, and what opened groups contain.

// run: { events: { count }, groups: [{ first, count, trains: [{ events }] }] }; opened: a set of keys of rows.
// Returns the rows in order, each { key, depth, event } for an event, { key, depth, group, isOpen } for a group or
// { key, depth, group, train, isOpen } for a train, and places: for each event the row that shows it or holds it.
export function eventRows(run, opened) {
  const rows = [];
  const places = new Int32Array(run.events.count);
  const put = (row) => rows.push(row) - 1;
  const putEvent = (event, depth, within) => {
    places[event] = put({ key: `${within}e${event}`, depth, event });
  };
  let next = 0;
  run.groups.forEach((group, g) => {
    const { first, count, trains } = group;
    for (; next < first; next++) putEvent(next, 0, "");
    next = first + count;
    const key = `g${g}`;
    const isOpen = opened.has(key);
    const place = put({ key, depth: 0, group, isOpen });
    places.fill(place, first, next);
    if (isOpen) openGroup(group, trains, key);
  });
  for (; next < run.events.count; next++) putEvent(next, 0, "");

  function openGroup({ first, count }, trains, key) {
    const inTrains = new Set(trains.flatMap(({ events }) => events));
    if (trains.length === 1 && inTrains.size === count) {
      for (const event of trains[0].events) putEvent(event, 1, key);
      return;
    }
    // Trains are sorted by their beginnings among the events that belong to no train.
    const waiting = trains.map((train, k) => ({ train, k }));
    for (let event = first; event < first + count; event++) {
      while (waiting.length && waiting[0].train.events[0] <= event) openTrain(waiting.shift(), key);
      if (!inTrains.has(event)) putEvent(event, 1, key);
    }
  }

  function openTrain({ train, k }, key) {
    const own = `${key}t${k}`;
    const isOpen = opened.has(own);
    const place = put({ key: own, depth: 1, train, isOpen });
    for (const event of train.events) {
      if (isOpen) putEvent(event, 2, own);
      else places[event] = place;
    }
  }

  return { rows, places };
}
