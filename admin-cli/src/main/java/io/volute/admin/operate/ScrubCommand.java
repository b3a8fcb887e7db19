package io.volute.admin.operate;

import io.volute.admin.client.ServerOptions;
import io.volute.admin.output.AnswerFormat;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what the server's own reading of everything has found, and how far it is. */
@Command(
        name = "scrub",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what the last scrub found, and how far the one under way is. The server reads"
                    + " and verifies everything once in scrub.interval by itself.",
            "The check command reads faster, and follows what it finds."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:the last scrub found nothing wrong, or there was none yet",
            "1:the server cannot be reached or refused",
            "2:wrong usage",
            "3:the last scrub found something wrong, or the latest failed"
        })
public final class ScrubCommand implements Callable<Integer> {
    private static final String PATH = "/_volute/v1/scrub";

    @Mixin private ServerOptions server;

    @Option(names = "--now", description = "Begin one before it is due; it goes on in the server.")
    private boolean isNow;

    @Override
    public Integer call() throws InterruptedException {
        return server.run(
                client -> {
                    Map<String, Object> scrub =
                            isNow ? client.post(PATH, Map.of()) : client.get(PATH);
                    if (server.isJson()) {
                        server.print(scrub);
                    } else {
                        show(scrub);
                    }
                    return isSound(scrub) ? ServerOptions.OK : ServerOptions.FOUND_WRONG;
                });
    }

    private static long found(Map<String, Object> last) {
        return AnswerFormat.number(last, "problems") + AnswerFormat.number(last, "findings");
    }

    /** Returns true if the document reports no problem and no failure. */
    static boolean isSound(Map<String, Object> scrub) {
        return found(AnswerFormat.map(scrub, "last")) == 0 && !scrub.containsKey("failure");
    }

    private void show(Map<String, Object> scrub) {
        PrintWriter out = server.out();
        Map<String, Object> last = AnswerFormat.map(scrub, "last");
        if (last.get("found") instanceof List<?> found) {
            found.forEach(each -> out.println(AnswerFormat.visible(String.valueOf(each))));
        }
        if (AnswerFormat.number(last, "moreFound") > 0) {
            out.println("and " + AnswerFormat.number(last, "moreFound") + " more");
        }
        if (last.isEmpty()) {
            out.println("last     none yet");
        } else {
            out.println("last     " + last(last));
        }
        Map<String, Object> running = AnswerFormat.map(scrub, "running");
        if (isNow && running.isEmpty()) {
            out.println("running  begins now");
        }
        if (!running.isEmpty()) {
            out.println("running  " + running(running));
        }
        if (scrub.containsKey("failure")) {
            out.println("failure  " + AnswerFormat.visible(AnswerFormat.text(scrub, "failure")));
        }
        out.println("next     " + next(scrub));
        out.flush();
    }

    private static String last(Map<String, Object> last) {
        return AnswerFormat.text(last, "began")
                + " to "
                + AnswerFormat.text(last, "ended")
                + ": "
                + AnswerFormat.number(last, "problems")
                + " problems of what is stored, "
                + AnswerFormat.number(last, "findings")
                + " findings in chains";
    }

    private static String running(Map<String, Object> running) {
        return "since "
                + AnswerFormat.text(running, "began")
                + ": "
                + AnswerFormat.number(running, "segments")
                + " of "
                + AnswerFormat.number(running, "segmentsTotal")
                + " segments, "
                + AnswerFormat.bytes(AnswerFormat.number(running, "bytesRead"))
                + " read, "
                + AnswerFormat.number(running, "chains")
                + " chains, "
                + AnswerFormat.number(running, "found")
                + " found";
    }

    private static String next(Map<String, Object> scrub) {
        if (AnswerFormat.number(scrub, "intervalSeconds") == 0) {
            return "only when asked for: scrub.interval is 0s";
        }
        return scrub.containsKey("next") ? AnswerFormat.text(scrub, "next") : "soon";
    }
}
