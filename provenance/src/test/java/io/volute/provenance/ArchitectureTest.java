package io.volute.provenance;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An auditor must be able to run this module alone. Think hard before changing this. */
@Tag("slow")
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.volute");

    @Test
    void knowsNoOtherModule() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.provenance..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.volute.storage..",
                        "io.volute.versioning..",
                        "io.volute.server..",
                        "io.volute.admin..",
                        "io.netty..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void packagesDependOneWay() {
        slices().matching("io.volute.provenance.(*)..").should().beFreeOfCycles().check(CLASSES);
    }
}
