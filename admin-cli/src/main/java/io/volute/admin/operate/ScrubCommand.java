package io.volute.admin.operate;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.Answer;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.client.WaitOption;
import io.volute.admin.grammar.Example;
import io.volute.admin.output.AnswerFormat;
import io.volute.admin.output.Facts;
import io.volute.admin.output.Progress;
import io.volute.adminapi.CheckApi.NodeScrub;
import io.volute.adminapi.CheckApi.Scrub;
import io.volute.adminapi.CheckApi.ScrubPass;
import io.volute.adminapi.CheckApi.ScrubRunning;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what the server's own reading of everything has found, and how far it is. */
@Example(value = "volute scrub", does = "Show the last report.")
@Example(value = "volute scrub --now", does = "Begin a scrub before it is due.")
@Command(
        name = "scrub",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the findings of the last scrub, and the progress of the running one. The server"
                    + " reads and verifies everything once in scrub.interval by itself.",
            "The check command reads faster, and examines each finding."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:the last scrub found nothing wrong, or there was none yet",
            "1:the server cannot be reached or refused",
            "2:wrong usage",
            "3:the last scrub found something wrong, the latest failed, or an owner is missing"
        })
public final class ScrubCommand implements Callable<Integer> {
    @Mixin private ServerOptions server;

    @Option(names = "--now", description = "Begin one before it is due; it goes on in the server.")
    private boolean isNow;

    @Mixin private WaitOption wait;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    Answer<Scrub> scrub = client.ask(isNow ? Routes.START_SCRUB : Routes.SCRUB);
                    boolean isUnderWay = isNow || isRunning(scrub.value());
                    if (isUnderWay && wait.isAwaited(false)) {
                        scrub = ended(client, scrub);
                    }
                    if (server.isJson()) {
                        server.print(scrub);
                    } else {
                        show(scrub.value());
                    }
                    return isSound(scrub.value()) ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
                });
    }

    private Answer<Scrub> ended(AdminClient client, Answer<Scrub> begun)
            throws IOException, InterruptedException {
        Progress progress = server.progress("scrubbing");
        boolean[] wasRunning = {isRunning(begun.value())};
        Answer<Scrub> last =
                wait.await(
                        new WaitOption.Work(server.command("scrub"), Optional.empty()),
                        begun,
                        now ->
                                isRunning(now.value())
                                        || !wasRunning[0]
                                                && passes(now.value()).equals(passes(begun.value()))
                                                && failures(now.value())
                                                        .equals(failures(begun.value())),
                        () -> {
                            Answer<Scrub> now = client.ask(Routes.SCRUB);
                            wasRunning[0] |= isRunning(now.value());
                            now.value().running().ifPresent(each -> show(progress, each));
                            return now;
                        });
        progress.end();
        return last;
    }

    private static void show(Progress progress, ScrubRunning now) {
        progress.at(
                now.segments(),
                now.segmentsTotal(),
                "segment",
                now.bytesRead(),
                now.found() + " found");
    }

    /**
     * Returns true if neither the last pass of an owner found something nor the latest failed, and
     * all owners have answered.
     */
    public static boolean isSound(Scrub scrub) {
        return isSound(scrub.last(), scrub.failure())
                && scrub.others().stream().allMatch(each -> isSound(each.last(), each.failure()))
                && scrub.missing().isEmpty();
    }

    private static boolean isSound(Optional<ScrubPass> last, Optional<String> failure) {
        return last.map(pass -> pass.problems() + pass.findings() == 0).orElse(true)
                && failure.isEmpty();
    }

    private static boolean isRunning(Scrub scrub) {
        return scrub.running().isPresent()
                || scrub.others().stream().anyMatch(each -> each.running().isPresent());
    }

    private static List<Optional<ScrubPass>> passes(Scrub scrub) {
        return Stream.concat(Stream.of(scrub.last()), scrub.others().stream().map(NodeScrub::last))
                .toList();
    }

    private static List<Optional<String>> failures(Scrub scrub) {
        return Stream.concat(
                        Stream.of(scrub.failure()), scrub.others().stream().map(NodeScrub::failure))
                .toList();
    }

    private void show(Scrub scrub) {
        showOne(scrub);
        for (NodeScrub each : scrub.others()) {
            server.out().println();
            server.out().println("node " + AnswerFormat.visible(each.node()));
            showOne(
                    new Scrub(
                            each.intervalSeconds(),
                            each.running(),
                            each.last(),
                            each.next(),
                            each.failure()));
        }
    }

    private void showOne(Scrub scrub) {
        PrintWriter out = server.out();
        scrub.last()
                .ifPresent(
                        last -> {
                            last.found().forEach(each -> out.println(AnswerFormat.visible(each)));
                            if (last.moreFound() > 0) {
                                out.println("and " + last.moreFound() + " more");
                            }
                        });
        Facts facts =
                new Facts().with("last", scrub.last().map(ScrubCommand::last).orElse("none yet"));
        if (isNow && !wait.isAwaited(false) && scrub.running().isEmpty()) {
            facts.with("running", "begins now");
        }
        scrub.running().ifPresent(running -> facts.with("running", running(running)));
        scrub.failure().ifPresent(failure -> facts.with("failure", failure));
        facts.with("next", next(scrub)).print(server.tables());
    }

    private static String last(ScrubPass last) {
        return last.began()
                + " to "
                + last.ended()
                + ": "
                + AnswerFormat.count(last.problems(), "problem")
                + " in stored data, "
                + AnswerFormat.count(last.findings(), "finding")
                + " in chains";
    }

    private static String running(ScrubRunning running) {
        return "since "
                + running.began()
                + ": "
                + running.segments()
                + " of "
                + AnswerFormat.count(running.segmentsTotal(), "segment")
                + ", "
                + AnswerFormat.bytes(running.bytesRead())
                + " read, "
                + AnswerFormat.count(running.chains(), "chain")
                + ", "
                + running.found()
                + " found";
    }

    private static String next(Scrub scrub) {
        if (scrub.intervalSeconds() == 0) {
            return "only when asked for: scrub.interval is 0s";
        }
        return scrub.next().map(Instant::toString).orElse("soon");
    }
}
