import kgscore

scorer = kgscore.Scorer(modules=["dental_cbct"])
print(scorer.signature["modules"].split()[0], scorer.label("canal_contact"))
