package io.volute.admin.operate;

import io.volute.admin.output.AnswerFormat;
import io.volute.adminapi.DamageApi.Damaged;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;

/** Names damaged versions, and repairs them. */
@Command(
        name = "damage",
        mixinStandardHelpOptions = true,
        description = "Names damaged versions, and repairs them in place.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {DamageListCommand.class, DamageRepairCommand.class})
public final class DamageCommand {
    /** Prints damaged states, each with the next step. */
    public static void show(PrintWriter out, List<Damaged> damaged, long more) {
        for (Damaged each : damaged) {
            String what = each.what().map(text -> ", " + text).orElse("");
            String size = each.use().equals("row") ? "" : ", " + AnswerFormat.bytes(each.bytes());
            out.println("  " + AnswerFormat.visible(each.words() + size + what));
            out.println("    next: " + AnswerFormat.visible(each.remedy()));
        }
        if (more > 0) {
            out.println("  and " + more + " more");
        }
    }
}
