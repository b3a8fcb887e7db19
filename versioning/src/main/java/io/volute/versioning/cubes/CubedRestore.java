package io.volute.versioning.cubes;

import io.volute.versioning.Restore;
import io.volute.versioning.StoreException;
import io.volute.versioning.event.Membership;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The restores of all cubes. A restore changes one bucket, in the cube of it. Thread-safe. */
record CubedRestore(CubeRegistry cubes, CubeBuckets buckets) implements Restore {
    private static final Logger LOG = LoggerFactory.getLogger(CubedRestore.class);

    /** Between the ids of the runs of a restore over several cubes. */
    private static final String AND = "-";

    @Override
    public Plan plan(Caller caller, Request request, Optional<String> from, int max)
            throws IOException {
        CubeRouting routing = buckets.routing();
        return routing.attemptRead(
                request.bucket(),
                row ->
                        row.isDivided()
                                ? plan(row, caller, request, from, max)
                                : routing.slot(row.cube())
                                        .call(
                                                each ->
                                                        each.restore()
                                                                .plan(caller, request, from, max)));
    }

    /** Takes the lines of the parts in key order. A token is the last key of a page. */
    private Plan plan(
            PlacementRow row, Caller caller, Request request, Optional<String> from, int max)
            throws IOException {
        List<Line> lines = new ArrayList<>();
        Optional<Plan> last = Optional.empty();
        for (PlacementRow.Section section : row.sections()) {
            boolean isBehind = section.range().isBeforeEnd(from.orElse(""));
            if (isBehind && section.range().meets(request.prefix())) {
                CubeSlot slot = buckets.routing().slot(section.cube());
                int room = max - lines.size();
                Optional<String> behind = lines.isEmpty() ? from : Optional.empty();
                Plan page =
                        slot.call(
                                each ->
                                        each.restore()
                                                .plan(caller, request, behind, Math.max(room, 1)));
                last = Optional.of(page);
                if (room == 0 && !page.entries().isEmpty()) {
                    String key = lines.getLast().key().value();
                    return page(lines, Optional.of(key), page);
                }
                lines.addAll(page.entries());
                if (page.next().isPresent()) {
                    return page(lines, page.next(), page);
                }
            }
        }
        return last.map(page -> page(lines, Optional.empty(), page))
                .orElseGet(
                        () ->
                                new Plan(
                                        lines,
                                        Optional.empty(),
                                        List.of(),
                                        Authors.NONE,
                                        List.of()));
    }

    private static Plan page(List<Line> lines, Optional<String> next, Plan last) {
        return new Plan(lines, next, last.elsewhere(), last.authors(), last.warnings());
    }

    /** Begins a restore; that of a divided bucket has one run in the cube of each part. */
    @Override
    public Run start(Caller caller, Request request) throws IOException {
        CubeRouting routing = buckets.routing();
        return routing.attempt(
                request.bucket(),
                row ->
                        row.isDivided() || buckets.moves().isMoving(request.bucket())
                                ? buckets.whileUnchanged(() -> start(row, caller, request))
                                : routing.slot(row.cube())
                                        .call(each -> each.restore().start(caller, request)));
    }

    private Run start(PlacementRow row, Caller caller, Request request) throws IOException {
        if (!buckets.routing().placement(request.bucket()).equals(row)) {
            // The caller attempts it again under the new placement.
            throw StoreException.noSuchBucket(request.bucket());
        }
        if (buckets.moves().isMoving(request.bucket())) {
            throw CubeRegistry.refused(
                    "keys of bucket "
                            + request.bucket().value()
                            + " are being moved to another cube: wait for the end (volute cube"
                            + " moves), then restore");
        }
        List<CubeSlot> slots = buckets.routing().slots(row);
        for (CubeSlot slot : slots) {
            boolean unused = slot.catalog().bucket(request.bucket()).isPresent();
        }
        List<Run> runs = new ArrayList<>();
        Request settled = request;
        try {
            for (CubeSlot slot : slots) {
                Request same = settled;
                Run run = slot.call(each -> each.restore().start(caller, same));
                // All parts have the instants and versions that the first one resolved.
                settled = run.request();
                runs.add(run);
            }
        } catch (IOException | RuntimeException e) {
            // The caller gets no id of them, and wants a restore of all parts.
            runs.forEach(run -> LOG.warn("{}: {}", e.getMessage(), cancel(run.id())));
            throw e;
        }
        return joined(runs);
    }

    private static Run joined(List<Run> runs) {
        Run first = runs.getFirst();
        return new Run(
                String.join(AND, runs.stream().map(Run::id).toList()),
                first.request(),
                phase(runs.stream().map(Run::phase).collect(Collectors.toSet())),
                first.began(),
                String.join(", ", runs.stream().map(Run::actor).toList()),
                runs.stream().mapToLong(Run::looked).sum(),
                runs.stream().mapToLong(Run::restored).sum(),
                runs.stream().mapToLong(Run::removed).sum(),
                runs.stream().mapToLong(Run::skipped).sum(),
                runs.stream().mapToLong(Run::unknown).sum(),
                runs.stream().mapToLong(Run::total).sum(),
                runs.stream()
                        .map(Run::message)
                        .filter(message -> !message.isEmpty())
                        .collect(Collectors.joining("; ")));
    }

    private static Phase phase(Set<Phase> phases) {
        return Stream.of(Phase.RUNNING, Phase.FAILED, Phase.CANCELLED)
                .filter(phases::contains)
                .findFirst()
                .orElse(Phase.DONE);
    }

    private Run each(String ids, BiFunction<Restore, String, Run> call) {
        List<Run> runs = Stream.of(ids.split(AND, -1)).map(id -> call.apply(of(id), id)).toList();
        return runs.size() == 1 ? runs.getFirst() : joined(runs);
    }

    @Override
    public Run run(String id) {
        return each(id, Restore::run);
    }

    /** {@inheritDoc} Those in cubes of other nodes are as their logs have them. */
    @Override
    public List<Run> runs() {
        CubeRouting anywhere = buckets.routing().anywhere();
        List<Run> runs = new ArrayList<>();
        try {
            for (CubeSlot slot : cubes.slots()) {
                if (slot.open().isPresent() || anywhere.isViewed(slot)) {
                    runs.addAll(anywhere.on(slot, each -> each.restore().runs()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return runs.stream().sorted(Comparator.comparing(Run::began).reversed()).toList();
    }

    @Override
    public Run cancel(String id) {
        return each(id, Restore::cancel);
    }

    /** {@inheritDoc} The parts of a divided bucket have the same owner. */
    @Override
    public Optional<String> cubeOf(String ids) {
        return slotOf(ids.split(AND, 2)[0]).map(CubeSlot::name);
    }

    private Optional<CubeSlot> slotOf(String id) {
        try {
            return cubes.find(Membership.cubeOf(Long.parseLong(id)));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns the restores of the cube that gave out an id. */
    private Restore of(String id) {
        CubeSlot slot = slotOf(id).orElse(cubes.system());
        return slot.open()
                .map(open -> open.catalog().restore())
                .orElseThrow(
                        () ->
                                new StoreException(
                                        StoreException.Reason.INVALID_ARGUMENT,
                                        "cube "
                                                + slot.name()
                                                + ", which has restore "
                                                + id
                                                + ", is not open"));
    }
}
