"""Everyday words: they name nothing of the domain, so leaving them unread loses nothing."""

from __future__ import annotations

EVERYDAY = frozenset(
    """a about above acquired acquisition across actual actually after again all along also always am among an and annotated annotation
    annotations any anything are area areas around as at available away back base be because been before being below best better between
    big bit both box break bring but button by call called can captured catalog catalogue center centre change chart check class classes
    clear click close closer clouds cloud collected collection color colour come compare containing contain contains could count counts
    current data database dataset datasets date dates day days depicting describe detail details detected detection detections did
    different display do does done down draw drop each either else end entire even ever every everything exactly example exist export far
    feature features few field figure file files filter filtered filters find first fit fly following for format found from full further
    get give given go good got great group had half has have having held here highlight hold holding how i id if image imagery images in
    include included including information inside instead interested into involving is it its just keep kind kinds know label labelled
    last later layer layers least left less let level like limit list little ll load loaded locate located location locations look looking
    made main make many map mapped maps marked match matches matching maybe me mean metadata mind more most move much must my name named
    near need new newest next nice no not nothing now number numbers object objects of off ok okay old on once one ones only onto open or
    order original other others our out outside over overall overview page pan panel part past per period photo photographs photos picture
    pictures place places plain please plot plotted point points possible present previous print provide put query question quick quickly
    rather read really recent record records region related remaining remove render report request rest restrict result results right row
    rows same satellite save say scene scenes screen search second see seen select selected selection send set sets shot shots should show
    showing shown shows side simply single size so some something sort source spot spots start state stay still such switch tab table
    tagged take taken tell than thank thanks that the their them then there these they thing things this those through tile tiles time
    times to together too top total touch turn two type types under up us use used using value values very via view visible visualise
    visualize want was way we well were what when where whether which while who whole why will wish with within without work world would
    year years yes you your yours s t d re ve m im id etc min max mean average sum share percentage proportion breakdown distribution per
    histogram bar pie line graph charts sorted sort newest oldest latest earliest descending ascending download csv vs versus against
    annotate passes pass footage acquisitions archive holdings samples sample chips chip patches patch every each hi hey hello kindly
    look-up vicinity surroundings surrounding neighbourhood neighborhood coast coastal offshore waters water shore km miles radius
    somewhere anywhere there's what's i'm i'd let's don't can't it's that's doing going trying like wanna gonna gimme lemme plz pls
    exclude except excluding omit add meant hide remove city pics pic thx sir possibly possible country state plus snap snaps shots sorry
    actually wait rather instead thereabouts cells cell opacity transparent count total overall wise compare comparison versus vs drop
    unload load mean correct correction i'll we're you're stuff thing ones lots bunch couple hello dear buddy asap quick urgently urgent
    largest smallest highest lowest biggest fewest longest shortest greatest tallest widest deepest densest
    pretty prety frequent raise lower fewer cap ring rings stratify boxes drawing drawn frequency frequencies balance imbalance summer winter spring autumn polarisation polarization orbit orbits ascending
    widen extend expand enlarge shrink rank ranked ranking pull grab fetch tooo whats whos hmm uh um oh busiest fullest crowded
    one's having whatever kind sort both neither nor yet ago during until till since throughout whole early late mid beginning
    """.split()
)
