package io.volute.provenance;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** An auditor must be able to run this module alone. Think hard before changing this. */
@AnalyzeClasses(packages = "io.volute", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule knowsNoOtherModule =
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
                    .allowEmptyShould(true);
}
